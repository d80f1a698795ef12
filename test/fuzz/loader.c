/* A libcuda that is old, partial, or says strange things: BATON_CUDA_LIBRARY names the stand-in (test/fake_cuda.c). It is loaded once per process, so
 * each input has a process of its own. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "driver/driver.h"
#include "fuzz.h"

static void say(const char *variable, int64_t number)
{
    char text[32];
    snprintf(text, sizeof text, "%d", (int)number);
    setenv(variable, text, 1);
}

static void prepare(struct input *input)
{
    static const char *const numbers[] = { "FAKE_CUDA_TELL", "FAKE_CUDA_INIT", "FAKE_CUDA_DEVICES", "FAKE_CUDA_CAPABILITY", "FAKE_CUDA_LACKS",
                                           "FAKE_CUDA_RESULT" };
    uint8_t given = take_byte(input), missing = take_byte(input);
    int64_t version = take_number(input);
    say("FAKE_CUDA_VERSION", given & 128 ? version : 12000 + 10 * (version & 15));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        int64_t number = take_number(input);
        if (given & 1 << i)
            say(numbers[i], number);
    }
    if (missing < DRIVER_ROW_COUNT)
        setenv("FAKE_CUDA_MISSING", driver_row_symbol(missing), 1);
}

static void use(baton_runtime *runtime)
{
    baton_runtime_info info = { .struct_size = sizeof info };
    baton_device_info device = { .struct_size = sizeof device };
    baton_error err = BATON_ERROR_INIT;
    baton_stream *stream = NULL;
    baton_array *array = NULL;
    int64_t shape = 4;
    baton_array_options options = { .struct_size = sizeof options, .dtype = BATON_I32, .ndim = 1, .shape = &shape };
    must(!baton_runtime_info_read(runtime, &info, NULL) && info.devices > 0 && memchr(info.driver, 0, sizeof info.driver));
    int32_t status = baton_device_info_read(runtime, 0, &device, &err);
    if (status)
        check_failed(status, &err);
    else
        must(memchr(device.name, 0, sizeof device.name));
    if ((status = baton_stream_create(runtime, 0, 0, 0, &stream, &err)) || (status = baton_array_create(runtime, &options, &array, &err)))
        check_failed(status, &err);
    baton_array_release(array);
    baton_stream_release(stream);
}

static void child(struct input *input)
{
    baton_runtime_options options = { .struct_size = sizeof options, .driver = "cuda" };
    baton_runtime *runtime = NULL;
    baton_error err = BATON_ERROR_INIT;
    prepare(input);
    int32_t status = baton_runtime_open(&options, &runtime, &err);
    if (status) {
        check_failed(status, &err);
        must(!runtime);
        return;
    }
    use(runtime);
    status = baton_runtime_close(runtime, &err);
    if (status)
        check_failed(status, &err);
}

void fuzz_one(struct input *input)
{
    int status;
    pid_t process = fork(), waited;
    must(process >= 0);
    if (!process) {
        child(input);
        _exit(EXIT_SUCCESS);
    }
    while ((waited = waitpid(process, &status, 0)) < 0 && errno == EINTR)       /* a fuzzer's clock */
        ;
    must(waited == process);
    must(WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS);
}

void fuzz_begin(void)
{
}

void fuzz_end(void)
{
}
