// Defects that are generated: small changes of functions that touch money, locks, files or what a resumed run needs.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "vite";
import { root } from "./root.mjs";

/** Packages that keep what has to outlive a program. */
const packages = ["core", "trainer", "runtime", "openai", "evaluation", "fleet", "tinker", "serve", "view"];

/** What a function touches, by its text; the first that fits. */
const topics = {
  money: /usd|spend|spent|charge|\baccount/iu,
  locks: /\b(?:un)?lock(?:s|ed|ing)?\b|Lock[A-Z(]|LOCK|\bclaim/u,
  resume: /resum|restore|checkpoint|interrupted/iu,
  files:
    /\b(?:appendFile|writeFile|readFile|datasync|syncFile|syncFolder|moveFile|rename|truncate|makeFolders|copyFile|unlink)\(|\bfs\.\w+\(|journal|\.close\(\)/u,
};

const flipped = { "<": "<=", "<=": "<", ">": ">=", ">=": ">", "&&": "||", "||": "&&", "+": "-", "-": "+" };

/**
 * Kinds of defects: which nodes have one, and the edits that put it there. `on` is an expression that says whether the defect is there now.
 * @type {Record<string, (node: object, text: (node: object) => string) => ((on: string) => [object, string]) | null>}
 */
const kinds = {
  "a condition is negated": (node, text) =>
    ["IfStatement", "ConditionalExpression"].includes(node.type)
      ? (on) => [node.test, `(${on} ? !(${text(node.test)}) : (${text(node.test)}))`]
      : null,
  "a statement is left out": (node, text) =>
    node.type === "ThrowStatement" || (node.type === "ExpressionStatement" && isDone(node.expression))
      ? (on) => [node, `{ if (!${on}) ${text(node)} }`]
      : null,
  "a promise is not awaited": (node, text) =>
    isAwaited(node)
      ? (on) => [node, `{ if (${on}) void (${text(node.expression.argument)}); else ${text(node)} }`]
      : null,
  "an error is swallowed": (node, text) =>
    isAwaited(node)
      ? (on) => [
          node,
          `{ if (${on}) await (async () => ${text(node.expression)})().catch(() => undefined); else ${text(node)} }`,
        ]
      : null,
  "two statements change places": (node, text) =>
    isAwaited(node) && isAwaited(node.next)
      ? (on) => [
          { start: node.start, end: node.next.end },
          `{ if (${on}) { ${text(node.next)} ${text(node)} } else { ${text(node)} ${text(node.next)} } }`,
        ]
      : null,
  "an operator is its neighbour": (node, text) =>
    ["BinaryExpression", "LogicalExpression"].includes(node.type) && flipped[node.operator] && !isOfText(node)
      ? (on) => [node, `(${on} ? (${text(node.left)} ${flipped[node.operator]} ${text(node.right)}) : (${text(node)}))`]
      : null,
  "a default is left out": (node, text) =>
    node.type === "LogicalExpression" && node.operator === "??"
      ? (on) => [node, `(${on} ? (${text(node.left)}) : (${text(node)}))`]
      : null,
  "the last argument is left out": (node, text) =>
    node.type === "CallExpression" && node.arguments.length > 1 && node.arguments.at(-1).type !== "SpreadElement"
      ? (on) => [node.arguments.at(-1), `...(${on} ? [] : [${text(node.arguments.at(-1))}])`]
      : null,
};

const isDone = ({ type, argument }) =>
  ["CallExpression", "AssignmentExpression"].includes(type) || (type === "AwaitExpression" && isDone(argument));
const isAwaited = (node) => node?.type === "ExpressionStatement" && node.expression.type === "AwaitExpression";
const isOfText = ({ left, right }) => [left, right].some(hasText);
const hasText = (node) =>
  node.type === "TemplateLiteral" ||
  (node.type === "Literal" && typeof node.value === "string") ||
  (node.type === "BinaryExpression" && isOfText(node));

/**
 * Every defect that the sources can have.
 * @param {string[]} files - from the repository's root
 * @returns {object[]} file, package, line, kind, topic, from, key, range, and `edit`, which puts it behind a switch
 */
export function mutantsOf(files) {
  const isMeant = (file) =>
    packages.some((name) => file.startsWith(`packages/${name}/src/`)) && !file.includes("/testing/");
  return files.filter(isMeant).flatMap((file) => {
    const source = readFileSync(join(root, file), "utf8");
    const { program, errors } = parseSync(file, source, { lang: "ts" });
    if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
    const text = ({ start, end }) => source.slice(start, end);
    const [found, counts, known] = [[], new Map(), new Map()];
    const topicOf = (scope) => {
      if (!known.has(scope))
        known.set(
          scope,
          Object.keys(topics).find((name) => topics[name].test(text(scope))),
        );
      return known.get(scope);
    };
    visit(program, null, (node, scope) => {
      const topic = topicOf(scope);
      if (!topic) return;
      for (const [kind, make] of Object.entries(kinds)) {
        const edit = make(node, text);
        if (!edit) continue;
        const [{ start, end }] = edit("");
        const name = `${file}|${kind}|${source.slice(start, end)}`;
        counts.set(name, (counts.get(name) ?? 0) + 1);
        const line = source.slice(0, start).split("\n").length;
        const from = source.slice(start, end).replaceAll(/\s+/gu, " ").slice(0, 100);
        const range = { start, end };
        found.push({
          file,
          package: file.split("/")[1],
          line,
          kind,
          topic,
          from,
          key: `${name}|${counts.get(name)}`,
          range,
          edit,
        });
      }
    });
    return found;
  });
}

/** Calls for every node with the outermost function or method around it. */
function visit(node, scope, hear) {
  if (node.type?.startsWith("TS") && !("expression" in node)) return;
  if (scope) hear(node, scope);
  const inner = scope ?? (isFunction(node) ? node : null);
  for (const value of Object.values(node)) {
    if (!Array.isArray(value)) {
      if (value && typeof value.type === "string") visit(value, inner, hear);
      continue;
    }
    for (const [i, each] of value.entries()) {
      if (typeof each?.type !== "string") continue;
      if (each.type === "ExpressionStatement") Object.defineProperty(each, "next", { value: value[i + 1] });
      visit(each, inner, hear);
    }
  }
}

const isFunction = ({ type }) =>
  ["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"].includes(type);

/**
 * So many of each package, by a seed. What is drawn of a file stays when other files change.
 * @returns {object[]} of which no two overlap
 */
export function drawMutants(all, perPackage, seed) {
  const order = (each) => createHash("sha256").update(`${seed}|${each.key}`).digest("hex");
  const drawn = [];
  for (const each of all
    .map((one) => ({ ...one, order: order(one) }))
    .toSorted((a, b) => (a.order < b.order ? -1 : 1))) {
    const fellows = drawn.filter((other) => other.package === each.package);
    const overlaps = ({ file, range }) =>
      file === each.file && range.start < each.range.end && each.range.start < range.end;
    if (fellows.length < perPackage && !fellows.some(overlaps)) drawn.push(each);
  }
  return drawn.toSorted((a, b) => (`${a.file}${a.line}` < `${b.file}${b.line}` ? -1 : 1));
}

/** Sources with all of these defects, each behind a switch of its number. @returns {Map<string, string>} by absolute path */
export function withSwitches(mutants) {
  const sources = new Map();
  for (const [i, { file, range, edit }] of [...mutants.entries()]
    .toReversed()
    .toSorted(([, a], [, b]) => b.range.start - a.range.start)) {
    const path = join(root, file);
    const source = sources.get(path) ?? readFileSync(path, "utf8");
    sources.set(path, source.slice(0, range.start) + edit(`hasDefect(${i})`)[1] + source.slice(range.end));
  }
  return sources;
}
