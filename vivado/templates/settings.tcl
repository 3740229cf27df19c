# What differs between overlays. Generated; the other scripts in this folder are the same for all.
namespace eval sagen {
    variable config {{ expected.config | tcl }}
    variable build_hash {{ expected.build_hash | tcl }}
    variable key {{ expected.key | tcl }}
    variable board {{ expected.board | tcl }}
    variable part {{ expected.part | tcl }}
    variable board_part {{ board_part | tcl }}
    variable top {{ top | tcl }}
    variable requested_khz {{ expected.requested_khz }}
    variable clock_khz {{ expected.clock_khz }}

    # Processing system: IP, pins of the fabric clock and reset, what its automation rule makes external.
    variable ps_ip {{ ps }}
    variable ps_clock {{ ps_clock }}
    variable ps_reset {{ ps_reset }}
    variable ps_external "{{ external }}"
    # Parameter of the clock in MHz, its value, and the parameter that says what the dividers made of it.
    variable ps_frequency { CONFIG.{{ frequency_parameter }} {{ frequency }} CONFIG.{{ actual_parameter }} }
    variable ps_parameters {
{%- for row in parameters %}
        CONFIG.{{ row.0 }} { {{- row.1 -}} }
{%- endfor %}
    }

    # CSRs: the master that reaches them, its clock pin, where they lie.
    variable control { {{ control.0 }} {{ control.1 }} {{ control_base }} {{ control_range }} }
    variable slave_ports { {% for p in slave_ports %}{{ p | tcl }} {% endfor %}}

    # One row for each master: bus, mode, slave port and its clock pin, 1 for a direct connection,
    # address segments (name, base, range), ports, what an interconnect may rely on.
    variable masters {
{%- for m in masters %}
        {
            {{ m.bus }} {% if m.writes %}READ_WRITE{% else %}READ_ONLY{% endif %} {{ m.ps_port }} {{ m.ps_clock }} {% if m.direct %}1{% else %}0{% endif %}
            { {% for s in m.segments %}{{ s.name }} {{ s.base }} {{ s.range }} {% endfor %}}
            { {% for p in m.ports %}{{ p | tcl }} {% endfor %}}
            { {% for p in m.parameters %}{{ p.0 }} {{ p.1 }} {% endfor %}}
        }
{%- endfor %}
    }

    # Verilog below the build folder, with SHA-256, children before parents.
    variable sources {
{%- for s in sources %}
        {{ s.0 | tcl }} {{ s.1 | tcl }}
{%- endfor %}
    }
    variable constraints { {% for c in constraints %}{{ c | tcl }} {% endfor %}}
}
