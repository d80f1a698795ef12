# Single elements obey allowscalar and @allowscalar.
module BatonGPUArraysCoreExt

using Baton: Baton
using GPUArraysCore: GPUArraysCore

function __init__()
    Baton.scalar_check[] = name -> GPUArraysCore.assertscalar(string(name))
    return nothing
end

end
