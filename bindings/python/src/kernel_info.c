/* What a kernel needs of its device. */
#include "kernel.h"

static PyObject *kernel_info(PyObject *self, PyObject *ignored)
{
    baton_kernel_info info = { .struct_size = sizeof info };
    baton_error error = BATON_ERROR_INIT;
    int32_t status;
    (void)ignored;
    UNLOCKED(status = baton_kernel_info_read(kernel_of(self)->handle, &info, &error));
    if (error_check(status, &error))
        return NULL;
    return Py_BuildValue("{si,si,si,si,si,sK,sK,sK,sK}", "parameters", info.parameters, "registers", info.registers, "most_threads", info.most_threads,
                         "binary_version", info.binary_version, "ptx_version", info.ptx_version, "shared_bytes", info.shared_bytes, "most_shared_bytes",
                         info.most_shared_bytes, "constant_bytes", info.constant_bytes, "local_bytes", info.local_bytes);
}

/* Two numbers that are not negative. */
static int read_two(const char *function, const char *const *names, int required, PyObject *const *args, Py_ssize_t count, PyObject *keywords, uint32_t read[2])
{
    PyObject *values[2];
    int32_t first, second;
    if (arguments_read(function, names, required, 2, args, count, keywords, values) || arguments_int32(values[0], 0, &first) ||
        arguments_int32(values[1], 0, &second))
        return -1;
    if (first < 0 || second < 0) {
        PyErr_Format(PyExc_ValueError, "%s() takes no negative numbers", function);
        return -1;
    }
    read[0] = (uint32_t)first;
    read[1] = (uint32_t)second;
    return 0;
}

static PyObject *kernel_occupancy(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *keywords)
{
    static const char *const names[] = { "threads", "shared", NULL };
    baton_error error = BATON_ERROR_INIT;
    uint32_t asked[2], blocks;
    int32_t status;
    if (read_two("occupancy", names, 1, args, count, keywords, asked))
        return NULL;
    UNLOCKED(status = baton_kernel_occupancy(kernel_of(self)->handle, asked[0], asked[1], &blocks, &error));
    return error_check(status, &error) ? NULL : PyLong_FromUnsignedLong(blocks);
}

static PyObject *kernel_block_size(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *keywords)
{
    static const char *const names[] = { "shared", "most_threads", NULL };
    baton_error error = BATON_ERROR_INIT;
    uint32_t asked[2], threads, blocks;
    int32_t status;
    if (read_two("block_size", names, 0, args, count, keywords, asked))
        return NULL;
    UNLOCKED(status = baton_kernel_block_size(kernel_of(self)->handle, asked[0], asked[1], &threads, &blocks, &error));
    return error_check(status, &error) ? NULL : Py_BuildValue("(II)", threads, blocks);
}

PyMethodDef kernel_info_methods[] = {
    { "info", kernel_info, METH_NOARGS,
      PyDoc_STR("info($self, /)\n--\n\nRegisters, memory and limits of the kernel, a dict; parameters is -1 when the driver does not tell.") },
    { "occupancy", METHOD(kernel_occupancy), METH_FASTCALL | METH_KEYWORDS,
      PyDoc_STR("occupancy($self, /, threads, shared=0)\n--\n\nBlocks of so many threads, and bytes of dynamic shared memory, that one "
                "multiprocessor holds at a time.") },
    { "block_size", METHOD(kernel_block_size), METH_FASTCALL | METH_KEYWORDS,
      PyDoc_STR("block_size($self, /, shared=0, most_threads=0)\n--\n\n(threads per block, blocks of the grid) that fill the device.") },
    { NULL, NULL, 0, NULL },
};
