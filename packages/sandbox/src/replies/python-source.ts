import { parser } from "@lezer/python";

/** A statement of a module. */
export interface Statement {
  readonly text: string;
  /** Names that it binds in the module; attributes of a class as `Class.name`. A star import binds `*`. */
  readonly binds: ReadonlySet<string>;
  /** Names that it uses and does not bind. */
  readonly needs: ReadonlySet<string>;
}

/** What the syntax of a Python text says. */
export interface PythonSource {
  /** The text, without the indentation of its first line unless it is a body. */
  readonly text: string;
  readonly isValid: boolean;
  readonly statements: readonly Statement[];
  /** Functions and classes of the module. */
  readonly defines: ReadonlySet<string>;
  /** Functions with an empty body: `pass`, `...` or `raise NotImplementedError`. */
  readonly stubs: ReadonlySet<string>;
  /** All identifiers, attributes included. */
  readonly names: ReadonlySet<string>;
  /** The module calls something for its effect. */
  readonly runs: boolean;
  /** It has a `return` or `yield` outside functions: the body of a function. */
  readonly isBody: boolean;
}

type Tree = ReturnType<typeof parser.parse>;
type Node = Tree["topNode"];

const strict = parser.configure({ strict: true });

/** Reads Python that may have errors. Nothing is run. */
export function readPython(code: string): PythonSource {
  const text = dedented(code);
  return readValidPython(code) ?? sourceOf(code, text, parser.parse(text), false);
}

/** The same for a text that may be prose: null unless it is valid Python. */
export function readValidPython(code: string): PythonSource | null {
  const text = dedented(code);
  try {
    const tree = strict.parse(text);
    return isAligned(text, tree) ? sourceOf(code, text, tree, true) : null;
  } catch {
    return null;
  }
}

/** The grammar accepts an indented statement in a module; Python does not. */
function isAligned(text: string, tree: Tree): boolean {
  return childrenOf(tree.topNode).every(({ name, from }) => name === "Comment" || from === 0 || text[from - 1] === "\n");
}

function dedented(code: string): string {
  const margin = /^(?:[ \t]*\n)*([ \t]*)\S/u.exec(code)?.[1] ?? "";
  return margin === "" ? code : code.replaceAll(new RegExp(`^${margin}`, "gmu"), "");
}

/** Names that a module binds. */
export function bindsOf({ statements }: PythonSource): ReadonlySet<string> {
  return new Set(statements.flatMap(({ binds }) => [...binds]));
}

function sourceOf(code: string, text: string, tree: Tree, isValid: boolean): PythonSource {
  const [defines, stubs, names] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const textOf = ({ from, to }: { readonly from: number; readonly to: number }): string => text.slice(from, to);
  let [runs, isBody] = [false, false];
  const statements = childrenOf(tree.topNode).map((top): Statement => {
    const [binds, locals, uses] = [new Set<string>(), new Set<string>(), new Set<string>()];
    /** Functions, classes and comprehensions around the node. */
    const scopes: Node[] = [];
    let effects = 0;
    top.cursor().iterate(
      ({ name: kind, node }) => {
        const outside = scopes.every(({ name }) => name === "ClassDefinition");
        if (kind === "ExpressionStatement") effects++;
        if (kind === "PrintStatement" || (kind === "CallExpression" && outside && effects > 0)) runs = true;
        if (outside && (kind === "ReturnStatement" || kind === "YieldStatement")) isBody = true;
        if (kind === "*" && node.parent?.name === "ImportStatement") binds.add("*");
        if (kind === "VariableName") {
          const name = textOf(node);
          names.add(name);
          const named = node.parent?.name === "FunctionDefinition" || node.parent?.name === "ClassDefinition";
          const around = named ? scopes.slice(0, -1) : scopes;
          if (!isTarget(node)) {
            if (isUse(node)) uses.add(name);
          } else if (around.length === 0) {
            binds.add(name);
            if (named) defines.add(name);
            if (named && isStub(node.parent as Node, textOf)) stubs.add(name);
          } else {
            if (around.length === 1) binds.add(`${classOf(around[0] as Node, textOf)}.${name}`);
            locals.add(name);
          }
        }
        if (kind === "PropertyName") {
          names.add(textOf(node));
          const whole = node.parent as Node;
          if (scopes.length === 0 && neighbour(whole, "nextSibling") === "AssignOp") binds.add(textOf(whole));
        }
        if (isScope(kind)) scopes.push(node);
      },
      ({ name: kind }) => {
        if (isScope(kind)) scopes.pop();
        if (kind === "ExpressionStatement") effects--;
      },
    );
    const needs = new Set([...uses].filter((name) => !binds.has(name) && !locals.has(name)));
    return { text: textOf(top), binds, needs };
  });
  return { text: isBody ? code : text, isValid, statements, defines, stubs, names, runs, isBody };
}

function isScope(kind: string): boolean {
  return /^(?:FunctionDefinition|ClassDefinition|LambdaExpression)$|Comprehension/u.test(kind);
}

function classOf(scope: Node, textOf: (node: Node) => string): string {
  const name = scope.name === "ClassDefinition" ? scope.getChild("VariableName") : null;
  return name ? textOf(name) : "";
}

/** Whether a name is bound where it stands: an assignment, import, parameter, loop variable or definition. */
function isTarget(name: Node): boolean {
  let place = name;
  while (/^(?:Tuple|Array|Parenthesized)Expression$/u.test(place.parent?.name ?? "")) place = place.parent as Node;
  const kind = place.parent?.name ?? "";
  const before = neighbour(place, "prevSibling");
  const after = neighbour(place, "nextSibling", kind === "ImportStatement" ? /^(?:\.|VariableName)$/u : listed);
  const previous = place.prevSibling?.name ?? "";
  if (kind === "ImportStatement")
    return previous === "as" || (/^(?:import|as)$/u.test(before) && after !== "as");
  if (kind === "ParamList") return previous !== "AssignOp";
  if (kind === "ArgList") return false;
  if (["FunctionDefinition", "ClassDefinition", "TypeParam", "CapturePattern"].includes(kind)) return true;
  return before === "for" || previous === "as" || previous === "type" || after === "AssignOp";
}

/** Names of keyword arguments and modules are no variables. */
function isUse(name: Node): boolean {
  const kind = name.parent?.name ?? "";
  if (kind === "ArgList") return name.nextSibling?.name !== "AssignOp";
  return kind !== "ImportStatement" && kind !== "KeywordPattern";
}

/** Parts of a list of targets. */
const listed = /^(?:,|\(|\*\*?|VariableName|TypeDef|MemberExpression|(?:Tuple|Array|Parenthesized)Expression)$/u;

/** The nearest sibling of another kind. */
function neighbour(node: Node, side: "prevSibling" | "nextSibling", skipped = listed): string {
  let next = node[side];
  while (next && skipped.test(next.name)) next = next[side];
  return next?.name ?? "";
}

function isStub(definition: Node, textOf: (node: Node) => string): boolean {
  const body = definition.name === "FunctionDefinition" ? definition.getChild("Body") : null;
  return (
    body !== null &&
    childrenOf(body).every(
      (node) =>
        /^(?::|⚠|Comment|PassStatement)$/u.test(node.name) ||
        /^(?:\.\.\.|[a-z]*["']|raise NotImplementedError)/iu.test(textOf(node)),
    )
  );
}

function childrenOf(node: Node): Node[] {
  const children: Node[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) children.push(child);
  return children;
}
