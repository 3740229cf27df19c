/* CSR map of the overlay. Generated from the register table; do not edit. */
#ifndef SAGEN_CSR_H
#define SAGEN_CSR_H
{% for c in csrs %}
/* {{ c.doc }} ({{ c.access }}) */
#define SAGEN_CSR_{{ c.name | upper }} {{ c.offset }}u
{%- endfor %}

#endif
