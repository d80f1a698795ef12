/* A stand-in for libnvrtc.so. What it "compiles" is the source itself with the options before it, in an image of the kind that the architecture asks for. The
 * source says what happens: "#error" is an error, "chatty" makes a long log. So does the environment:
 *   FAKE_NVRTC_VERSION   "12.9" unless set
 *   FAKE_NVRTC_ARCHS     "75 90 80" unless set
 *   FAKE_NVRTC_COUNT     a file that grows by one byte with each compilation
 *   FAKE_NVRTC_RESULT    what nvrtcCompileProgram returns, with an empty log
 *   FAKE_NVRTC_DAMAGE    the image is garbage */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PUBLIC __attribute__((visibility("default")))

enum { OUT_OF_MEMORY = 1, INVALID_INPUT = 3, INVALID_OPTION = 5, COMPILATION = 6, NO_NAMES = 8, BAD_NAME = 10, NAMES = 8, ROOM = 1 << 16 };

struct program {
    char *source;
    int header_count, name_count, cubin;
    const char *names[NAMES];
    char lowered[NAMES][64];
    char log[ROOM];
    char image[ROOM];
    size_t image_bytes;
};

PUBLIC int nvrtcVersion(int *major, int *minor);
PUBLIC int nvrtcGetNumSupportedArchs(int *count);
PUBLIC int nvrtcGetSupportedArchs(int *archs);
PUBLIC const char *nvrtcGetErrorString(int code);
PUBLIC int nvrtcCreateProgram(struct program **program, const char *source, const char *name, int count, const char *const *headers, const char *const *header_names);
PUBLIC int nvrtcDestroyProgram(struct program **program);
PUBLIC int nvrtcAddNameExpression(struct program *program, const char *expression);
PUBLIC int nvrtcCompileProgram(struct program *program, int count, const char *const *options);
PUBLIC int nvrtcGetProgramLogSize(struct program *program, size_t *bytes);
PUBLIC int nvrtcGetProgramLog(struct program *program, char *log);
PUBLIC int nvrtcGetCUBINSize(struct program *program, size_t *bytes);
PUBLIC int nvrtcGetCUBIN(struct program *program, char *cubin);
PUBLIC int nvrtcGetPTXSize(struct program *program, size_t *bytes);
PUBLIC int nvrtcGetPTX(struct program *program, char *ptx);
PUBLIC int nvrtcGetLoweredName(struct program *program, const char *expression, const char **lowered);

static const char *setting(const char *variable, const char *otherwise)
{
    const char *text = getenv(variable);
    return text ? text : otherwise;
}

int nvrtcVersion(int *major, int *minor)
{
    return sscanf(setting("FAKE_NVRTC_VERSION", "12.9"), "%d.%d", major, minor) == 2 ? 0 : INVALID_INPUT;
}

static int each_arch(int *archs)
{
    const char *at = setting("FAKE_NVRTC_ARCHS", "75 90 80");
    int count = 0, arch, used;
    for (; sscanf(at, "%d%n", &arch, &used) == 1; at += used, count++)
        if (archs)
            archs[count] = arch;
    return count;
}

int nvrtcGetNumSupportedArchs(int *count)
{
    *count = each_arch(NULL);
    return 0;
}

int nvrtcGetSupportedArchs(int *archs)
{
    each_arch(archs);
    return 0;
}

const char *nvrtcGetErrorString(int code)
{
    return code == COMPILATION ? "NVRTC_ERROR_COMPILATION" : code == BAD_NAME ? "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID" : "NVRTC_ERROR_OF_SOME_KIND";
}

int nvrtcCreateProgram(struct program **program, const char *source, const char *name, int count, const char *const *headers, const char *const *header_names)
{
    struct program *made = calloc(1, sizeof *made);
    if (!made || !(made->source = malloc(strlen(source) + strlen(name) + 8))) {
        free(made);
        return OUT_OF_MEMORY;
    }
    sprintf(made->source, "%s: %s", name, source);
    for (int i = 0; i < count; i++)
        made->header_count += headers[i] && header_names[i];
    *program = made;
    return 0;
}

int nvrtcDestroyProgram(struct program **program)
{
    free((*program)->source);
    free(*program);
    *program = NULL;
    return 0;
}

int nvrtcAddNameExpression(struct program *program, const char *expression)
{
    if (program->name_count == NAMES)
        return OUT_OF_MEMORY;
    snprintf(program->lowered[program->name_count], sizeof *program->lowered, "_Z%.*s", (int)strcspn(expression, "<"), expression);
    program->names[program->name_count++] = expression;
    return 0;
}

static void count_one(void)
{
    int file = open(setting("FAKE_NVRTC_COUNT", "/dev/null"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file >= 0 && write(file, ".", 1) != 1)
        abort();
    close(file);
}

static void chat(struct program *program)
{
    for (int i = 0; i < 100; i++)
        sprintf(program->log + strlen(program->log), "source.cu(%d): warning: a variable named error_count is never used\n", i);
}

static int build(struct program *program, int count, const char *const *options)
{
    static const Elf64_Ehdr header = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB }, .e_machine = 190, .e_ehsize = sizeof header };
    char *at = program->image;
    if (program->cubin)
        at = (char *)memcpy(at, &header, sizeof header) + sizeof header;
    else
        at += sprintf(at, ".version 8.0\n");
    for (int i = 0; i < count; i++)
        at += sprintf(at, "%s\n", options[i]);
    for (int i = 0; i < program->name_count; i++)
        at += sprintf(at, "%s\n", program->lowered[i]);
    at += sprintf(at, "%s", program->source) + 1;
    program->image_bytes = (size_t)(at - program->image);
    if (getenv("FAKE_NVRTC_DAMAGE"))
        memset(program->image, 'x', program->image_bytes);
    return 0;
}

int nvrtcCompileProgram(struct program *program, int count, const char *const *options)
{
    const char *architecture = NULL;
    count_one();
    for (int i = 0; i < count; i++) {
        if (strncmp(options[i], "-bad", 4) == 0) {
            sprintf(program->log, "nvrtc: error: unrecognized option %s found\n", options[i]);
            return INVALID_OPTION;
        }
        if (strncmp(options[i], "-arch=", 6) == 0)
            architecture = options[i] + 6;
        else if (i && strcmp(options[i - 1], "-arch") == 0)
            architecture = options[i];
    }
    if (getenv("FAKE_NVRTC_RESULT"))
        return atoi(getenv("FAKE_NVRTC_RESULT"));
    if (strstr(program->source, "chatty"))
        chat(program);
    if (strstr(program->source, "#error"))
        sprintf(program->log + strlen(program->log), "source.cu(3): error: identifier \"y\" is undefined\n\n1 error detected.\n");
    program->cubin = architecture && strncmp(architecture, "sm_", 3) == 0;
    return strstr(program->source, "#error") ? COMPILATION : build(program, count, options);
}

int nvrtcGetProgramLogSize(struct program *program, size_t *bytes)
{
    *bytes = strlen(program->log) + 1;
    return 0;
}

int nvrtcGetProgramLog(struct program *program, char *log)
{
    strcpy(log, program->log);
    return 0;
}

int nvrtcGetCUBINSize(struct program *program, size_t *bytes)
{
    *bytes = program->cubin ? program->image_bytes : 0;
    return 0;
}

int nvrtcGetCUBIN(struct program *program, char *cubin)
{
    memcpy(cubin, program->image, program->image_bytes);
    return 0;
}

int nvrtcGetPTXSize(struct program *program, size_t *bytes)
{
    *bytes = program->cubin ? 0 : program->image_bytes;
    return 0;
}

int nvrtcGetPTX(struct program *program, char *ptx)
{
    memcpy(ptx, program->image, program->image_bytes);
    return 0;
}

int nvrtcGetLoweredName(struct program *program, const char *expression, const char **lowered)
{
    for (int i = 0; i < program->name_count; i++)
        if (strcmp(program->names[i], expression) == 0 && !strstr(expression, "nonsense")) {
            *lowered = program->lowered[i];
            return 0;
        }
    return BAD_NAME;
}
