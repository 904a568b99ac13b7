"""Feeds the checks of assemble.py with what they have to find."""

import copy
import hashlib

import assemble
import defined
import manifest
import uniform

PTX = """
.version 7.8
.target sm_90
.visible .entry k(
	.param .u64 .ptr .align 1 k_param_0,
	.param .u64 k_param_1,
	.param .align 4 .b8 k_param_2[8]
)
"""
POINTER = {"name": "y0", "kind": "pointer", "ctype": "float *", "bytes": 8}
MANIFEST = {
    "version": 4,
    "chip": "sm_90",
    "ptx_isa": "7.8",
    "functions": [
        {
            "name": "f",
            "arguments": [
                {"name": "arg0", "kind": "tensor", "element": "f32", "shape": ["arg0_d0", 8]},
                {"name": "arg1", "kind": "scalar", "element": "complex<f32>"},
            ],
            "results": [{"buffer": "result0", "element": "f32", "shape": [8, "arg0_d0"]}],
            "buffers": [
                {
                    "name": "result0",
                    "kind": "result",
                    "index": 0,
                    "element": "f32",
                    "element_bytes": 4,
                    "shape": ["arg0_d0", 8],
                }
            ],
            "kernels": [
                {
                    "entry": "k",
                    "arguments": [
                        dict(POINTER, element="f32", buffer="result0"),
                        {
                            "name": "n0",
                            "kind": "size",
                            "ctype": "int64_t",
                            "bytes": 8,
                            "value": "arg0_d0",
                        },
                        {
                            "name": "init0",
                            "kind": "scalar",
                            "ctype": "float _Complex",
                            "bytes": 8,
                            "element": "complex<f32>",
                            "value": "arg1",
                        },
                    ],
                    "grid": [["ceildiv", "n0", 4], 1, 1],
                    "block": [128, 1, 1],
                    "shared_bytes": {"static": 0, "dynamic": 0},
                    "workspace": {"bytes": 0, "zeroed": False},
                    "strategy": "row",
                    "schedule": {"strategy": "row", "threads": 128, "items": 1},
                }
            ],
        }
    ],
}


def show(name, ptx=PTX, change=lambda manifest, kernel: None):
    wrong = copy.deepcopy(MANIFEST)
    wrong["ptx_sha256"] = hashlib.sha256(ptx.encode()).hexdigest()
    change(wrong, wrong["functions"][0]["kernels"][0])
    try:
        print(f"{name}: {list(manifest.check(wrong, ptx))}")
    except KeyError as error:
        print(f"{name}: KeyError {error}")


lines = "\tadd.rn.bf16x2 %r1;\n\t@%p1 fma.rn.f16 %h;\n\tmul.f16\n\tcvt.rn.bf16.f32\n\tadd.f32\n\tadd.s16\n"
print("16-bit:", *sorted(assemble.NARROW.findall(lines)))
log = """ptxas info    : Compiling entry function 'k' for 'sm_90'
    0 bytes stack frame, 8 bytes spill stores, 16 bytes spill loads
ptxas info    : Compiling entry function 'l' for 'sm_90'
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
"""
print("spills:", assemble.spills_of(log))
BODY = """
.visible .entry k(
	.param .u64 k_param_0
)
{
	.reg .b16 	%rs<9>;
	mov.u32 	%r1, %tid.x;
	ld.param.b64 	%rd1, [k_param_0];
	shl.b32 	%r2, %r1, 4;
	cvt.u64.u32 	%rd2, %r2;
	add.s64 	%rd3, %rd1, %rd2;
	ld.shared.v2.b32 	{%r3, %r4}, [ADDRESS];
	mov.b32 	{%rs1, _}, %r3;
	@%p1 mov.b32 	{_, %rs2}, %r3;
	ld.shared.v2.b16 	{%rs3, %rs4}, [ADDRESS];
	shfl.sync.idx.b32 	%r5, %r1, LANE, 31, -1;
	mov.b32 	{%rs5, %rs6}, %r5;
	mov.b64 	{%r6, %r7}, %rd1;
	st.shared.v2.b16 	[%rd1], {%rs5, %rs6};
	ret;

}
"""
for address, lane in (("%rd1", "0"), ("%rd3", "%r1")):
    print("uniform:", *uniform.check(BODY.replace("ADDRESS", address).replace("LANE", lane)), sep="\n")
WAYS = """
.visible .entry k()
{
	mov.b32 	%r1, 1;
	setp.eq.b32 	%p1, %r1, 2;
	@%p1 bra 	$L__BB0_2;
	mov.b32 	%r2, 3;
	ld.shared.v2.b32 	{%r3, %r4}, [%r1];
$L__BB0_2:
	mov.b64 	%rd1, {%r2, %r3};
	add.s32 	%r5, %r2, %r1;
	st.shared.b32 	[%r1], %r6;
	ret;
}
"""
print("defined:", *defined.check(WAYS), sep="\n")
print(
    "expressions:",
    *(
        manifest.evaluate(tree, {"n": 13, "_m1": 4})
        for tree in (
            ["+", 1, ["*", 2, 3]],
            ["+", ["-", 1, 3], 1],
            ["floordiv", "n", "_m1"],
            ["mod", ["-", 0, ["-", 0, "n"]], 11],
            ["ceildiv", "n", 4],
            ["*", ["-", "n", 10], ["min", "n", 4, 5]],
            ["max", 0, ["mod", "n", "_m1"]],
        )
    ),
)
show("correct")
show("count", PTX.replace(",\n\t.param .align 4 .b8 k_param_2[8]", ""))
show("width", PTX.replace(".u64 k_param_1", ".u32 k_param_1"))
show("entry", change=lambda m, k: k.update(entry="other"))
show("chip", change=lambda m, k: m.update(chip="sm_80"))
show("hash", change=lambda m, k: m.update(ptx_sha256="00"))
show("buffer", change=lambda m, k: k["arguments"][0].update(buffer="result7"))
show("result", change=lambda m, k: m["functions"][0]["results"][0].update(shape=[8]))
show("grid", change=lambda m, k: k.update(grid=[["-", "n0", 40], 1, 1]))
show("name", change=lambda m, k: k.update(grid=["m", 1, 1]))
show("ctype", change=lambda m, k: k["arguments"][0].update(ctype="double *"))
