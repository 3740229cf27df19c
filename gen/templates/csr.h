/* CSR map of the overlay. Generated from the register table; do not edit.
 * Offsets in bytes; a part of a register is given by its lowest bit and the mask of its bits in place. */
#ifndef SAGEN_CSR_H
#define SAGEN_CSR_H

/* Bytes that the block decodes. */
#define SAGEN_CSR_BYTES {{ csr_bytes }}u
{% for c in csrs %}
/* {{ c.doc }} ({{ c.access }}) */
#define SAGEN_CSR_{{ c.name | upper }} {{ c.address }}u
{%- if c.constant is number and c.constant > 0 %}
#define SAGEN_CSR_{{ c.name | upper }}_CONSTANT {{ c.constant }}u
{%- endif %}
{%- if c.fields | length > 1 %}
{%- for f in c.fields %}
/* {{ f.doc }} */
#define SAGEN_CSR_{{ c.name | upper }}_{{ f.name | upper }}_LO {{ f.lo }}u
#define SAGEN_CSR_{{ c.name | upper }}_{{ f.name | upper }}_MASK {{ f.mask }}u
{%- for v in f.values %}
#define SAGEN_CSR_{{ c.name | upper }}_{{ f.name | upper }}_{{ v | upper }} {{ loop.index0 }}u
{%- endfor %}
{%- endfor %}
{%- endif %}
{%- endfor %}

#endif
