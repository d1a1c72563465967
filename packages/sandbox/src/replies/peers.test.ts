import { spawnSync } from "node:child_process";
import { randomFromSeed } from "@laconic/core";
import { expect, test } from "vitest";
import { codeBlocks } from "./solution.ts";
import { PythonSource } from "./python-source.ts";

const python = process.env["LACONIC_PYTHON"];
const has = (module: string): boolean =>
  python !== undefined && spawnSync(python, ["-c", `import ${module}`]).status === 0;

function ask(script: string, input: unknown): unknown {
  const { stdout, stderr } = spawnSync(python as string, ["-I", "-c", script], {
    input: JSON.stringify(input),
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  expect(stderr).toBe("");
  return JSON.parse(stdout);
}

const margins = ["", "", "", "> ", "- ", "1. ", "   ", "    ", "\t", ">", "10) ", "- - ", "> 1. "];
const lines = `\`\`\`|\`\`\`\`|~~~|~~~~|\`\`\`python|~~~ py x|\`\`\` \`a\`|def f(x):|return 1|text|||    deep|***|# h|\tx|\`\`|x \`\`\` y|[a]: b|===|<b>`;

test.skipIf(!has("markdown_it"))("finds the code blocks that markdown-it-py finds (LACONIC_PYTHON)", () => {
  const random = randomFromSeed(3);
  const texts = Array.from({ length: 3000 }, () =>
    Array.from({ length: 2 + random.integer(9) }, () => random.pick(margins) + random.pick(lines.split("|"))).join(
      "\n",
    ),
  );
  const theirs = ask(
    `import json, sys, markdown_it
reader = markdown_it.MarkdownIt("commonmark").disable(["html_block", "reference"])
found = [[t for t in reader.parse(text) if t.type in ("fence", "code_block")] for text in json.load(sys.stdin)]
print(json.dumps([[[t.type == "fence", t.content] for t in each] for each in found]))`,
    texts,
  ) as [boolean, string][][];
  const ours = texts.map((text) => codeBlocks(text, Infinity).blocks.map(({ fenced, code }) => [fenced, code]));
  expect(theirs.flat().length).toBeGreaterThan(2000);
  expect(ours).toEqual(theirs);
});

test.skipIf(!has("ast"))("reads the names that Python's own modules bind (LACONIC_PYTHON)", () => {
  const modules = ask(
    `import ast, glob, json, sysconfig
modules = []
scopes = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
for path in sorted(glob.glob(sysconfig.get_paths()["stdlib"] + "/*.py"))[::4]:
    text = open(path, encoding="utf8").read()
    if len(text) > 30000:
        continue
    waiting, binds, defines = [ast.parse(text)], set(), set()
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            defines.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            binds.update(name.asname or name.name.split(".")[0] for name in node.names)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            binds.add(node.id)
        elif not isinstance(node, scopes):
            binds.update([node.name] if isinstance(node, ast.ExceptHandler) and node.name else [])
            waiting.extend(ast.iter_child_nodes(node))
    modules.append({"text": text, "binds": sorted(binds | defines), "defines": sorted(defines)})
print(json.dumps(modules))`,
    null,
  ) as { readonly text: string; readonly binds: string[]; readonly defines: string[] }[];
  const read = modules.map(({ text, ...names }) => ({ names, source: new PythonSource(text) }));
  const valid = read.filter(({ source }) => source.isValid);
  // The grammar lacks a few rare forms, such as `with a as (b, c)`.
  expect(valid.length / read.length).toBeGreaterThan(0.97);
  for (const { names, source } of valid) {
    const binds = [...source.all("binds")].filter((name) => /^[\w*]+$/u.test(name));
    expect({ binds: binds.toSorted(), defines: [...source.all("defines")].toSorted() }).toEqual(names);
  }
});
