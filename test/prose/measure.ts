import { readText } from "../workspace.ts";
import { faultsOf, sentencesOf, type Fault } from "./rules.ts";
import { commentsOf, messagesOf, pageTexts, titlesOf, type Kind, type Text } from "./texts.ts";

const code =
  /^(?:(?:packages|apps)\/[^/]+\/(?:src|test|web|assets)|bench|scripts|test|packages\/engine\/assembly)\/.*\.(?:tsx?|mjs)$/u;

function textsOf(path: string): readonly Text[] {
  if (path.endsWith(".md")) return pageTexts(readText(path));
  if (!code.test(path) || path.endsWith(".d.ts")) return [];
  if (path.endsWith(".test.ts")) return titlesOf(readText(path));
  if (/(?:^|\/)test\//u.test(path)) return [];
  const source = readText(path);
  return [...commentsOf(path, source), ...messagesOf(source)];
}

/** Faults of files, and for each kind of text the number of sentences and of faults per 1,000 of them. */
export function measure(paths: readonly string[]): {
  readonly faults: readonly (Fault & { readonly kind: Kind; readonly path: string })[];
  readonly kinds: Readonly<Record<Kind, { readonly sentences: number; readonly perThousand: number }>>;
} {
  const texts = paths
    .filter((path) => !path.startsWith(".changeset/"))
    .flatMap((path) => textsOf(path).map((text) => ({ path, ...text })));
  const faults = texts.flatMap((text) =>
    faultsOf(text).map((fault) => ({ ...fault, kind: text.kind, path: text.path })),
  );
  const rate = (kind: Kind): { sentences: number; perThousand: number } => {
    const sentences = texts.filter((text) => text.kind === kind).flatMap(({ text }) => sentencesOf(text)).length;
    const count = faults.filter((fault) => fault.kind === kind).length;
    return { sentences, perThousand: sentences === 0 ? 0 : (1000 * count) / sentences };
  };
  return {
    faults,
    kinds: { comment: rate("comment"), message: rate("message"), title: rate("title"), page: rate("page") },
  };
}
