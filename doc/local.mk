dist_doc_DATA += \
    doc/design.md \
    doc/exchange.md \
    doc/locking.md \
    doc/memory.md \
    doc/performance.md \
    doc/rules.md \
    doc/testing.md
