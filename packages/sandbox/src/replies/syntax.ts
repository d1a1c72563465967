import { parser } from "@lezer/python";

/** A syntax tree of Python. */
export type Tree = ReturnType<typeof parser.parse>;
/** A node of a tree. */
export type Node = Tree["topNode"];

const strict = parser.configure({ strict: true });

/** The grammar lacks numbers such as `2.` and a bare `yield`. Their stand-ins have the same length. */
function parsable(text: string): string {
  return text
    .replaceAll(/(?<![\w.])(\d[\d_]*)\.(?![\w.])/gu, "$10")
    .replaceAll(/^([ \t]*)yield(?=[ \t]*(?:#.*)?$)/gmu, "$1pass ");
}

/** The tree of a text that may have errors. It is empty for a text that nests too deep for the parser's stack, as for Python. */
export function looseTree(text: string): Tree {
  try {
    return parser.parse(parsable(text));
  } catch {
    return parser.parse("");
  }
}

/** The tree of a valid text; null for any other. */
export function strictTree(text: string): Tree | null {
  try {
    const tree = strict.parse(parsable(text));
    // The grammar accepts an indented statement in a module; Python does not.
    const isAligned = ({ name, from }: Node): boolean => name === "Comment" || from === 0 || text[from - 1] === "\n";
    return childrenOf(tree.topNode).every(isAligned) ? tree : null;
  } catch {
    return null;
  }
}

/** Child nodes in their order. */
export function childrenOf(node: Node): Node[] {
  const children: Node[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) children.push(child);
  return children;
}

/** Whether names that are bound inside are not names of the module. */
export function isScope(kind: string): boolean {
  return /^(?:(?:Function|Class)Definition|LambdaExpression)$/u.test(kind) || isLoop(kind);
}

/** Whether a node is a comprehension. */
export function isLoop(kind: string): boolean {
  return kind.includes("Comprehension");
}

/** Whether a node lists targets: `a, (b, *c) = ...`. */
export function isList(kind: string): boolean {
  return targets[kind] === list;
}

/** Whether a name that is not bound is a variable, not the name of a keyword argument or a module. */
export function isUse({ parent, nextSibling }: Node): boolean {
  if (parent?.name === "ArgList") return nextSibling?.name !== "AssignOp";
  return parent?.name !== "ImportStatement" && parent?.name !== "KeywordPattern";
}

/** Whether the body of a function is empty: `pass`, `...`, a docstring or `raise NotImplementedError`. */
export function isStub(definition: Node, textOf: (node: Node) => string): boolean {
  return childrenOf(definition.getChild("Body") ?? definition).every(
    (node) =>
      /^(?::|⚠|Comment|PassStatement)$/u.test(node.name) ||
      /^(?:\.\.\.|[a-z]*["']|raise NotImplementedError)/iu.test(textOf(node)),
  );
}

type Targets = (children: Node[], isBound: boolean) => readonly Node[];

const name: Targets = (children) => children.filter((child) => child.name === "VariableName").slice(0, 1);
const list: Targets = (children, isBound) => (isBound ? children : []);
const assigned: Targets = (children) => {
  const last = children.findLastIndex((child) => child.name === "AssignOp");
  return children.filter((_, i) => i < last);
};
const named: Targets = (children) => children.filter((_, i) => children[i - 1]?.name === "as");
const looped: Targets = (children) => {
  let isOpen = false;
  return children.filter((child) => {
    if (child.name === "for" || child.name === "in") isOpen = child.name === "for";
    return isOpen;
  });
};
/** Of each item, the name behind `as`, or else the first. */
const imported: Targets = (children) => {
  const items: Node[][] = [[]];
  for (const child of children.slice(children.findIndex(({ name: kind }) => kind === "import") + 1))
    if (child.name === ",") items.push([]);
    else items.at(-1)?.push(child);
  return items.flatMap((item) => {
    const names = item.filter((child) => child.name === "VariableName" || child.name === "*");
    return names.slice(...(item.some((child) => child.name === "as") ? [-1] : [0, 1]));
  });
};

/** By kind of node, the children that it binds. Of lists, `isBound` says whether the list is bound. */
const targets: Readonly<Record<string, Targets>> = {
  FunctionDefinition: name,
  ClassDefinition: name,
  TypeDefinition: name,
  CapturePattern: name,
  TypeParam: name,
  ParamList: (children) => children.filter((_, i) => children[i - 1]?.name !== "AssignOp"),
  AssignStatement: assigned,
  NamedExpression: assigned,
  TupleExpression: list,
  ArrayExpression: list,
  ParenthesizedExpression: list,
  ForStatement: looped,
  WithStatement: named,
  TryStatement: named,
  AsPattern: named,
  ImportStatement: imported,
};

/** Children that a node binds. */
export function targetsOf(ref: { readonly name: string; readonly node: Node }, isBound: boolean): readonly Node[] {
  const find = isLoop(ref.name) ? looped : targets[ref.name];
  return find ? find(childrenOf(ref.node), isBound) : [];
}
