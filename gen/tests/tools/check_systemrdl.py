"""check_systemrdl.py MAP.rdl ISA.json: the registers that the SystemRDL compiler finds are those of the JSON file."""
import json
import sys

from systemrdl import RDLCompiler
from systemrdl.node import RegNode

ACCESS = {"read": "r", "read/write": "rw", "trigger": "w"}

compiler = RDLCompiler()
compiler.compile_file(sys.argv[1])
top = compiler.elaborate().top
found = {
    reg.inst_name: (reg.absolute_address, reg.size, [
        (f.inst_name, f.low, f.high, f.get_property("sw").name, bool(f.get_property("singlepulse")), f.get_property("desc"))
        for f in reg.fields()
    ])
    for reg in top.descendants()
    if isinstance(reg, RegNode)
}
rows = json.load(open(sys.argv[2]))["csrs"]
wanted = {
    row["name"]: (row["offset"], 4, [
        (f["name"], f["lo"], f["hi"], ACCESS[row["access"]], row["access"] == "trigger", f["doc"]) for f in row["fields"]
    ])
    for row in rows
}
for name in sorted(found.keys() | wanted.keys()):
    assert found.get(name) == wanted.get(name), f"{name}: {found.get(name)} in SystemRDL, {wanted.get(name)} in JSON"
print(f"{len(found)} registers agree")
