/* Descriptor layouts of the overlay. Generated from the descriptor table; do not edit.
 * A field is given by its lowest bit and its width within the 512-bit descriptor. */
#ifndef SAGEN_DESCRIPTORS_H
#define SAGEN_DESCRIPTORS_H

#define SAGEN_DESCRIPTOR_BYTES {{ descriptor_bytes }}u
{% for w in waits %}
#define SAGEN_WAIT_{{ w.name | upper }}_LO {{ w.lo }}u
#define SAGEN_WAIT_{{ w.name | upper }}_WIDTH {{ w.width }}u
{%- endfor %}
{% for d in descriptors %}
/* {{ d.doc }} (unit: {{ d.unit }}) */
#define SAGEN_OP_{{ d.name | upper }} {{ d.opcode }}u
{%- for f in d.fields %}
#define SAGEN_{{ d.name | upper }}_{{ f.name | upper }}_LO {{ f.lo }}u
#define SAGEN_{{ d.name | upper }}_{{ f.name | upper }}_WIDTH {{ f.width }}u
{%- for v in f.values %}
#define SAGEN_{{ d.name | upper }}_{{ f.name | upper }}_{{ v | upper }} {{ loop.index0 }}u
{%- endfor %}
{%- endfor %}
{% endfor %}
#endif
