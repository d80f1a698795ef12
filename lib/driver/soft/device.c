#include "driver/soft/row.h"

#include <stdio.h>

#include "driver/soft/module.h"

int soft_device_count(int *count)
{
    ROW_ENTER();
    ROW_REQUIRE(count, DRIVER_INVALID_VALUE);
    *count = soft_machine.devices;
    ROW_LEAVE();
}

int soft_device_get(driver_device *device, int ordinal)
{
    ROW_ENTER();
    ROW_REQUIRE(device, DRIVER_INVALID_VALUE);
    ROW_REQUIRE(soft_device_valid(ordinal), DRIVER_INVALID_DEVICE);
    *device = ordinal;
    ROW_LEAVE();
}

int soft_device_name(char *name, int bytes, driver_device device)
{
    ROW_ENTER();
    ROW_REQUIRE(name && bytes > 0, DRIVER_INVALID_VALUE);
    ROW_REQUIRE(soft_device_valid(device), DRIVER_INVALID_DEVICE);
    snprintf(name, (size_t)bytes, "software device %d", device);
    ROW_LEAVE();
}

int soft_device_memory(size_t *bytes, driver_device device)
{
    ROW_ENTER();
    ROW_REQUIRE(bytes, DRIVER_INVALID_VALUE);
    ROW_REQUIRE(soft_device_valid(device), DRIVER_INVALID_DEVICE);
    *bytes = soft_machine.memory;
    ROW_LEAVE();
}

static int device_value(driver_device_attribute attribute)
{
    switch (attribute) {
    case DRIVER_DEVICE_UNIFIED_ADDRESSING: return 1;
    case DRIVER_DEVICE_MAJOR: return 9;
    case DRIVER_DEVICE_MINOR: return 0;
    case DRIVER_DEVICE_MANAGED_MEMORY: return 1;
    case DRIVER_DEVICE_CONCURRENT_MANAGED: return 1;
    case DRIVER_DEVICE_MULTIPROCESSORS: return SOFT_MULTIPROCESSORS;
    case DRIVER_DEVICE_COOPERATIVE_LAUNCH: return 1;
    case DRIVER_DEVICE_CLUSTER_LAUNCH: return 1;
    case DRIVER_DEVICE_SHARED_PER_BLOCK: return SOFT_SHARED_BLOCK;
    case DRIVER_DEVICE_MEMORY_POOLS: return 1;
    default: return -1;
    }
}

int soft_device_attribute(int *value, driver_device_attribute attribute, driver_device device)
{
    ROW_ENTER();
    ROW_REQUIRE(value && device_value(attribute) >= 0, DRIVER_INVALID_VALUE);
    ROW_REQUIRE(soft_device_valid(device), DRIVER_INVALID_DEVICE);
    *value = device_value(attribute);
    ROW_LEAVE();
}

int soft_device_can_access_peer(int *can, driver_device device, driver_device peer)
{
    ROW_ENTER();
    ROW_REQUIRE(can, DRIVER_INVALID_VALUE);
    ROW_REQUIRE(soft_device_valid(device) && soft_device_valid(peer), DRIVER_INVALID_DEVICE);
    *can = device != peer && !(soft_machine.barred[device] >> peer & 1U);
    ROW_LEAVE();
}
