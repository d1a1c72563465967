// Exports of every package, read from the source. `isolatedDeclarations` makes this possible without a type checker, because
// every export has an explicit type.
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { root } from "./root.mjs";

// TypeScript 7 has no compiler API yet.
const ts = createRequire(join(root, "docs", "package.json"))("typescript");

/** Exports of every entry and of the command line. */
export function apiReports() {
  const sources = new Map();
  return [...readdirSync(join(root, "packages")).map((name) => join("packages", name)), "apps/trainer"]
    .map((folder) => ({
      folder,
      manifest: JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")),
    }))
    .flatMap(({ folder, manifest }) =>
      Object.entries(manifest.exports)
        .filter(([, source]) => typeof source === "string" && source.endsWith(".ts"))
        .map(([path, source]) => ({
          entry: join(manifest.name, path).replaceAll("\\", "/"),
          exports: exportsOf(join(root, folder, source), sources).toSorted((a, b) => (a.name < b.name ? -1 : 1)),
        })),
    )
    .map(({ entry, exports }) => ({
      entry,
      names: exports.map(({ name }) => name),
      signatures: exports.map(({ signature }) => signature),
      undocumented: exports
        .filter((each) => !each.isDocumented)
        .map(({ name, place }) => `${entry} ${name} (${place})`),
    }));
}

function exportsOf(path, sources) {
  const found = [];
  for (const statement of parsed(path, sources).statements) {
    if (ts.isExportDeclaration(statement) && statement.exportClause && ts.isNamedExports(statement.exportClause)) {
      const target = statement.moduleSpecifier?.text;
      for (const { name, propertyName } of statement.exportClause.elements) {
        const own = (propertyName ?? name).text;
        if (target?.startsWith("."))
          found.push({ ...declared(join(dirname(path), target), own, sources), name: name.text });
        else if (target) found.push(foreign(name.text, target));
        else found.push({ ...declared(path, own, sources), name: name.text });
      }
    } else if (ts.isExportDeclaration(statement)) {
      const target = statement.moduleSpecifier?.text ?? "";
      if (!target.startsWith(".")) throw new Error(`${placeOf(path)}: export * from ${target} cannot be listed`);
      found.push(...exportsOf(join(dirname(path), target), sources));
    } else if (isExported(statement)) {
      for (const name of namesOf(statement)) found.push(described(path, name, [statement]));
    }
  }
  return found;
}

/** Re-exports of another package are documented there. */
function foreign(name, target) {
  return { name, isDocumented: true, signature: `export { ${name} } from "${target}";`, place: target };
}

function declared(path, name, sources) {
  const source = parsed(path, sources);
  const statements = source.statements.filter((statement) => namesOf(statement).includes(name));
  if (statements.length > 0) return described(path, name, statements);
  for (const statement of source.statements) {
    const target = statement.moduleSpecifier?.text;
    const elements =
      (ts.isExportDeclaration(statement) && statement.exportClause?.elements) ||
      (ts.isImportDeclaration(statement) && statement.importClause?.namedBindings?.elements) ||
      [];
    const hit = elements.find((each) => each.name.text === name);
    if (!hit || !target) continue;
    const own = (hit.propertyName ?? hit.name).text;
    return target.startsWith(".") ? declared(join(dirname(path), target), own, sources) : foreign(own, target);
  }
  throw new Error(`${placeOf(path)} exports ${name}, which it neither declares nor imports`);
}

function described(path, name, statements) {
  return {
    name,
    isDocumented: statements.some(isDocumented),
    signature: statements.map((statement) => signatureOf(statement, name)).join("\n"),
    place: placeOf(path),
  };
}

const kinds = new Map([
  [ts.SyntaxKind.FunctionDeclaration, "function"],
  [ts.SyntaxKind.ClassDeclaration, "class"],
  [ts.SyntaxKind.InterfaceDeclaration, "interface"],
  [ts.SyntaxKind.TypeAliasDeclaration, "type"],
  [ts.SyntaxKind.VariableStatement, "constant"],
]);

function kindOf(statement) {
  const kind = kinds.get(statement.kind);
  if (kind === undefined)
    throw new Error(`an export of kind ${ts.SyntaxKind[statement.kind]} has no place in a report`);
  return kind;
}

function namesOf(statement) {
  if (ts.isVariableStatement(statement)) return statement.declarationList.declarations.map(({ name }) => name.text);
  return kinds.has(statement.kind) && statement.name ? [statement.name.text] : [];
}

function isExported(statement) {
  return statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;
}

/** The last doc comment has text or tags. */
function isDocumented({ jsDoc }) {
  const comment = jsDoc?.at(-1);
  return comment !== undefined && (comment.comment !== undefined || comment.tags !== undefined);
}

/** Declaration in one line, without bodies, members, values and comments. */
function signatureOf(statement, name) {
  const source = statement.getSourceFile();
  const text = (node) => withoutComments(node, source);
  if (ts.isVariableStatement(statement)) {
    const declaration = statement.declarationList.declarations.find((each) => each.name.text === name);
    const written = declaration.type ? text(declaration.type) : `= ${text(declaration.initializer)}`;
    return declaration.type ? `const ${name}: ${written}` : `const ${name} ${written}`;
  }
  if (ts.isFunctionDeclaration(statement)) return `function ${headOf(statement, text)}`;
  if (ts.isTypeAliasDeclaration(statement))
    return text(statement)
      .replace(/^export /u, "")
      .replace(/;$/u, "");
  const heritage = (statement.heritageClauses ?? []).map((clause) => ` ${text(clause)}`).join("");
  return `${kindOf(statement)} ${name}${typeParameters(statement, text)}${heritage}`;
}

function headOf(node, text) {
  return `${text(node.name)}${typeParameters(node, text)}(${parameters(node, text)})${node.type ? `: ${text(node.type)}` : ""}`;
}

function typeParameters(node, text) {
  return node.typeParameters ? `<${node.typeParameters.map((each) => text(each)).join(", ")}>` : "";
}

function parameters(node, text) {
  return node.parameters
    .map(({ name, type, questionToken, dotDotDotToken, initializer }) => {
      const called = ts.isIdentifier(name) ? name.text : "options";
      const optional = questionToken || initializer ? "?" : "";
      return `${dotDotDotToken ? "..." : ""}${called}${optional}${type ? `: ${text(type)}` : ""}`;
    })
    .join(", ");
}

const printer = ts.createPrinter({ removeComments: true, omitTrailingSemicolon: false });

function withoutComments(node, source) {
  return printer.printNode(ts.EmitHint.Unspecified, node, source).replaceAll(/\s+/gu, " ").trim();
}

function parsed(path, sources) {
  let source = sources.get(path);
  if (!source) {
    source = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.ES2022, true);
    sources.set(path, source);
  }
  return source;
}

function placeOf(path) {
  return relative(root, path).replaceAll("\\", "/");
}
