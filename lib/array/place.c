#include "array/place.h"

/* One attribute. *code is DRIVER_INVALID_VALUE where the driver has no answer for this address; any other failure is a status. */
static int32_t ask(struct device *device, void *value, driver_pointer_attribute attribute, uint64_t address, int *code, baton_error *err)
{
    *code = device->driver->pointer_attribute(value, attribute, address);
    if (*code == DRIVER_SUCCESS || *code == DRIVER_INVALID_VALUE)
        return BATON_OK;
    return device_status(device, *code, DRIVER_ROW_pointer_attribute, BATON_OP_NONE, NULL, err);
}

static int32_t kind_detect(struct device *device, uint64_t address, struct place *place, baton_error *err)
{
    unsigned int type = 0, managed = 0;
    int code;
    int32_t status = ask(device, &type, DRIVER_POINTER_MEMORY_TYPE, address, &code, err);
    place->kind = BATON_HOST;
    if (status || code)
        return status;          /* ordinary host memory is unknown to the driver */
    status = ask(device, &managed, DRIVER_POINTER_IS_MANAGED, address, &code, err);
    if (status)
        return status;
    place->kind = !code && managed ? BATON_UNIFIED : type == DRIVER_MEMORY_DEVICE ? BATON_DEVICE : BATON_HOST;
    place->known = 1;
    return BATON_OK;
}

static int32_t device_detect(struct device *device, uint64_t address, struct place *place, baton_error *err)
{
    int ordinal = -1, code;
    int32_t status = ask(device, &ordinal, DRIVER_POINTER_DEVICE_ORDINAL, address, &code, err);
    if (!status && !code && ordinal >= 0)
        place->device = ordinal;
    return status;
}

/* Memory of a pool, or mapped by hand, need not have an answer. */
static int32_t range_detect(struct device *device, uint64_t address, struct place *place, baton_error *err)
{
    driver_address start = 0;
    size_t bytes = 0;
    int code;
    int32_t status = ask(device, &start, DRIVER_POINTER_RANGE_START, address, &code, err);
    if (status || code)
        return status;
    status = ask(device, &bytes, DRIVER_POINTER_RANGE_BYTES, address, &code, err);
    if (status || code || address < start || address - start >= bytes)
        return status;
    place->start = start;
    place->bytes = bytes;
    return BATON_OK;
}

int32_t place_detect(struct device *device, uint64_t address, struct place *place, baton_error *err)
{
    struct device_entry entry;
    int32_t status = device_enter(device, &entry, err);
    if (status)
        return status;
    *place = (struct place) { .device = -1 };
    status = kind_detect(device, address, place, err);
    if (!status && place->known)
        status = device_detect(device, address, place, err);
    if (!status && place->known)
        status = range_detect(device, address, place, err);
    device_leave(device, &entry);
    return status;
}

/* Pinned and unified memory can be used from every device. */
int32_t place_check(const struct place *place, const struct device *device, uint64_t address, uint64_t bytes, baton_error *err)
{
    if (place->kind == BATON_DEVICE && place->device >= 0 && place->device != device->ordinal)
        return fail(err, BATON_ERR_DEVICE, "the address is memory of device %d, not of device %d", place->device, device->ordinal);
    uint64_t left = place->bytes - (address - place->start);
    if (place->bytes && bytes > left)
        return fail(err, BATON_ERR_BOUNDS, "the array takes %llu bytes, but only %llu are left behind the address in its allocation",
                    (unsigned long long)bytes, (unsigned long long)left);
    return BATON_OK;
}
