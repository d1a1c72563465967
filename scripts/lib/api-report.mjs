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
  const folders = [...readdirSync(join(root, "packages")).map((name) => join("packages", name)), "apps/trainer"];
  return folders.flatMap((folder) => {
    const manifest = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
    const sources = Object.entries(manifest.exports).filter(([, source]) => String(source).endsWith(".ts"));
    return sources.map(([path, source]) => {
      const entry = join(manifest.name, path).replaceAll("\\", "/");
      const exports = exportsOf(join(root, folder, source)).toSorted((a, b) => (a.name < b.name ? -1 : 1));
      return {
        entry,
        names: exports.map(({ name }) => name),
        signatures: exports.map(({ signature }) => signature),
        undocumented: exports
          .filter((each) => !each.isDocumented)
          .map(({ name, place }) => `${entry} ${name} (${place})`),
      };
    });
  });
}

function exportsOf(path) {
  return parsed(path).statements.flatMap((statement) => {
    if (!ts.isExportDeclaration(statement))
      return isExported(statement) ? namesOf(statement).map((name) => described(path, name, [statement])) : [];
    if (statement.exportClause?.elements)
      return statement.exportClause.elements.map(({ name: { text } }) => ({ ...declared(path, text), name: text }));
    const target = statement.moduleSpecifier.text;
    if (!target.startsWith(".")) throw new Error(`${placeOf(path)}: export * from ${target} cannot be listed`);
    return exportsOf(join(dirname(path), target));
  });
}

function declared(path, name) {
  const { statements } = parsed(path);
  const own = statements.filter((statement) => namesOf(statement).includes(name));
  if (own.length > 0) return described(path, name, own);
  for (const statement of statements) {
    const elements =
      (ts.isExportDeclaration(statement) && statement.exportClause?.elements) ||
      (ts.isImportDeclaration(statement) && statement.importClause?.namedBindings?.elements) ||
      [];
    const hit = elements.find((each) => each.name.text === name);
    const inner = (hit?.propertyName ?? hit?.name)?.text;
    const target = statement.moduleSpecifier?.text;
    if (target?.startsWith(".") && hit) return declared(join(dirname(path), target), inner);
    // Re-exports of another package are documented there.
    if (target && hit) return { isDocumented: true, signature: `export { ${name} } from "${target}";`, place: target };
    if (hit && inner !== name) return declared(path, inner);
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

const isDeclaration = (statement) =>
  [ts.isFunctionDeclaration, ts.isClassDeclaration, ts.isInterfaceDeclaration, ts.isTypeAliasDeclaration].some((is) =>
    is(statement),
  );

function namesOf(statement) {
  if (ts.isVariableStatement(statement)) return statement.declarationList.declarations.map(({ name }) => name.text);
  return isDeclaration(statement) && statement.name ? [statement.name.text] : [];
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
  const text = (node) => printer.printNode(ts.EmitHint.Unspecified, node, source).replaceAll(/\s+/gu, " ").trim();
  if (ts.isVariableStatement(statement)) {
    const declaration = statement.declarationList.declarations.find((each) => each.name.text === name);
    const { type, initializer } = declaration;
    return `const ${name}${type ? `: ${text(type)}` : ` = ${text(initializer)}`}`;
  }
  const head = `${name}${typeParameters(statement, text)}`;
  if (ts.isFunctionDeclaration(statement)) {
    const result = statement.type ? `: ${text(statement.type)}` : "";
    return `function ${head}(${parameters(statement, text)})${result}`;
  }
  if (ts.isTypeAliasDeclaration(statement))
    return text(statement)
      .replace(/^export /u, "")
      .replace(/;$/u, "");
  const heritage = (statement.heritageClauses ?? []).map((clause) => ` ${text(clause)}`).join("");
  return `${ts.isClassDeclaration(statement) ? "class" : "interface"} ${head}${heritage}`;
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

const files = new Map();

function parsed(path) {
  const file = files.get(path) ?? ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.ES2022, true);
  files.set(path, file);
  return file;
}

function placeOf(path) {
  return relative(root, path).replaceAll("\\", "/");
}
