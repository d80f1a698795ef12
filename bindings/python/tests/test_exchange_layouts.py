"""Every layout that NumPy can make, through DLPack and back."""

import hypothesis.extra.numpy as hnp
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import baton


@given(
    hnp.arrays(
        st.sampled_from(["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]),
        hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4),
    ),
    st.data(),
)
def test_every_layout_of_numpy_comes_and_goes(base, data):
    view = base[data.draw(hnp.basic_indices(base.shape, allow_newaxis=True, allow_ellipsis=True))]
    view = np.asarray(view).T
    array = baton.from_dlpack(view)
    assert array.shape == view.shape and array.dtype == view.dtype
    np.testing.assert_array_equal(array.numpy(), view)
    np.testing.assert_array_equal(np.from_dlpack(array), view)
