// How jemalloc gets its memory, in programs that are linked with it.

// A run touches files all over its memory; with pages of 4 KiB most of its time goes into finding
// where they are.
extern "C" {
extern const char* malloc_conf;
const char* malloc_conf = "thp:always,metadata_thp:always";
}
