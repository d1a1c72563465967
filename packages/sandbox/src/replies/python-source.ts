import { parser } from "@lezer/python";

export type Tree = ReturnType<typeof parser.parse>;
export type Node = Tree["topNode"];

const strict = parser.configure({ strict: true });

/** The grammar lacks `2.` and a bare `yield`; placeholders of the same length replace them. */
function parsable(text: string): string {
  return text
    .replaceAll(/(?<![\w.])(\d[\d_]*)\.(?![\w.])/gu, "$10")
    .replaceAll(/^([ \t]*)yield(?=[ \t]*(?:#.*)?$)/gmu, "$1pass ");
}

/** Empty if it nests too deep for the parser's stack. */
function looseTree(text: string): Tree {
  try {
    return parser.parse(parsable(text));
  } catch {
    return parser.parse("");
  }
}

/** Null for invalid text. */
function strictTree(text: string): Tree | null {
  try {
    const tree = strict.parse(parsable(text));
    // The grammar accepts an indented statement in a module; Python does not.
    const isAligned = ({ name, from }: Node): boolean => name === "Comment" || from === 0 || text[from - 1] === "\n";
    return childrenOf(tree.topNode).every(isAligned) ? tree : null;
  } catch {
    return null;
  }
}

function childrenOf(node: Node): Node[] {
  const children: Node[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) children.push(child);
  return children;
}

function isScope(kind: string): boolean {
  return /^(?:(?:Function|Class)Definition|LambdaExpression)$/u.test(kind) || isLoop(kind);
}

function isLoop(kind: string): boolean {
  return kind.includes("Comprehension");
}

/** Excludes keyword arguments and modules. */
function isUse({ parent, nextSibling }: Node): boolean {
  if (parent?.name === "ArgList") return nextSibling?.name !== "AssignOp";
  return parent?.name !== "ImportStatement" && parent?.name !== "KeywordPattern";
}

/** Empty body: `pass`, `...`, a docstring or `raise NotImplementedError`. */
function isStub(definition: Node, textOf: (node: Node) => string): boolean {
  return childrenOf(definition.getChild("Body") ?? definition).every(
    (node) =>
      /^(?::|⚠|Comment|PassStatement)$/u.test(node.name) ||
      /^(?:\.\.\.|[a-z]*["']|raise NotImplementedError)/iu.test(textOf(node)),
  );
}

type Targets = (children: Node[], isBound: boolean) => readonly Node[];

const firstName: Targets = (children) => children.filter((child) => child.name === "VariableName").slice(0, 1);
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
/** The name after `as`, else the first name. */
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

/** `isBound` tells whether a list is bound. */
const targets: Readonly<Record<string, Targets>> = {
  FunctionDefinition: firstName,
  ClassDefinition: firstName,
  TypeDefinition: firstName,
  CapturePattern: firstName,
  TypeParam: firstName,
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

function targetsOf(ref: { readonly name: string; readonly node: Node }, isBound: boolean): readonly Node[] {
  const find = isLoop(ref.name) ? looped : targets[ref.name];
  return find ? find(childrenOf(ref.node), isBound) : [];
}

export interface Statement {
  readonly text: string;
  /** Class attributes are `Class.name`; a star import binds `*`. */
  readonly binds: ReadonlySet<string>;
  readonly needs: ReadonlySet<string>;
  readonly defines: ReadonlySet<string>;
  readonly stubs: ReadonlySet<string>;
  /** Includes attributes. */
  readonly names: ReadonlySet<string>;
  /** Calls something for its effect. */
  readonly runs: boolean;
  /** Has a `return` or `yield` outside functions. */
  readonly isBody: boolean;
}

type NameKind = "binds" | "defines" | "stubs" | "names";

/** Python source that may have errors, parsed lazily. Nothing is executed. */
export class PythonSource {
  readonly #code: string;
  readonly #dedented: string;
  readonly #tree: Tree | null;
  #statements: readonly Statement[] | null = null;
  readonly #unions = new Map<NameKind, ReadonlySet<string>>();

  constructor(code: string) {
    const margin = /^(?:[ \t]*\n)*([ \t]*)\S/u.exec(code)?.[1] ?? "";
    this.#code = code;
    const dedent = (line: string): string => (line.startsWith(margin) ? line.slice(margin.length) : line);
    this.#dedented = margin === "" ? code : code.split("\n").map(dedent).join("\n");
    this.#tree = strictTree(this.#dedented);
  }

  get isValid(): boolean {
    return this.#tree !== null;
  }

  get statements(): readonly Statement[] {
    if (this.#statements) return this.#statements;
    const text = this.#dedented;
    const { topNode } = this.#tree ?? looseTree(text);
    return (this.#statements = childrenOf(topNode).map((statement) => readStatement(text, statement)));
  }

  /** The text, with the first line's indentation removed unless it is a function body. */
  get text(): string {
    return this.isBody ? this.#code : this.#dedented;
  }

  get runs(): boolean {
    return this.statements.some(({ runs }) => runs);
  }

  get isBody(): boolean {
    return this.statements.some(({ isBody }) => isBody);
  }

  all(kind: NameKind): ReadonlySet<string> {
    const union = this.#unions.get(kind) ?? new Set(this.statements.flatMap((statement) => [...statement[kind]]));
    this.#unions.set(kind, union);
    return union;
  }

  has(kind: NameKind, name: string): boolean {
    return this.all(kind).has(name);
  }
}

/** Parses text that may be prose; null unless it is valid Python. */
export function validSource(code: string): PythonSource | null {
  const source = new PythonSource(code);
  return source.isValid ? source : null;
}

function readStatement(source: string, statement: Node): Statement {
  const [binds, defines, stubs, names] = [new Set<string>(), new Set<string>(), new Set<string>(), new Set<string>()];
  const [locals, globals, uses] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const bound = new Set<number>();
  const scopes: Node[] = [];
  let [functions, effects, runs, isBody] = [0, 0, false, false];
  const textOf = ({ from, to }: { readonly from: number; readonly to: number }): string => source.slice(from, to);
  const bind = (target: Node): void => {
    const [kind, name, scope] = [target.name, textOf(target), scopes[0]];
    if (kind === "VariableName" || targets[kind] === list) bound.add(target.from);
    const isName = kind === "VariableName" || (kind === "*" && target.parent?.name === "ImportStatement");
    if (!scope && (isName || kind === "MemberExpression")) binds.add(name);
    if (scope && isName) locals.add(name);
    if (scope?.name === "ClassDefinition" && scopes.length === 1 && isName)
      binds.add(`${textOf(scope.getChild("VariableName") ?? scope)}.${name}`);
  };
  statement.cursor().iterate(
    (ref) => {
      const kind = ref.name;
      if (kind === "ExpressionStatement") effects++;
      if (kind === "PrintStatement" || (kind === "CallExpression" && functions === 0 && effects > 0)) runs = true;
      if ((kind === "ReturnStatement" || kind === "YieldStatement") && functions === 0) isBody = true;
      if (kind === "PropertyName") names.add(textOf(ref));
      if (kind === "VariableName") {
        names.add(textOf(ref));
        if (bound.has(ref.from)) return;
        const { parent } = ref.node;
        if (parent?.name === "ScopeStatement") globals.add(textOf(ref));
        if (isUse(ref.node)) uses.add(textOf(ref));
        return;
      }
      if (isLoop(kind)) scopes.push(ref.node);
      for (const target of targetsOf(ref, bound.has(ref.from))) bind(target);
      if (!isScope(kind)) return;
      if (scopes.length === 0 && kind.endsWith("Definition")) {
        const name = textOf(ref.node.getChild("VariableName") ?? ref);
        defines.add(name);
        if (kind === "FunctionDefinition" && isStub(ref.node, textOf)) stubs.add(name);
      }
      if (!isLoop(kind)) scopes.push(ref.node);
      if (kind !== "ClassDefinition") functions++;
    },
    ({ name: kind }) => {
      if (kind === "ExpressionStatement") effects--;
      if (!isScope(kind)) return;
      scopes.pop();
      if (kind !== "ClassDefinition") functions--;
    },
  );
  const needs = new Set([...uses].filter((name) => globals.has(name) || (!binds.has(name) && !locals.has(name))));
  return { text: textOf(statement), binds, needs, defines, stubs, names, runs, isBody };
}
