/** Tokens shared by several prompts, computed once in the pages of the first prompt. */
export interface PromptNode {
  readonly tokens: readonly number[];
  /** Number of tokens before this node. */
  readonly past: number;
  /** First prompt below, in whose row the node is computed. */
  readonly row: number;
  readonly children: readonly PromptNode[];
  /** Prompts that end here; `row` or its copies. */
  readonly ends: readonly number[];
}

/**
 * Groups prompts by shared prefixes. Prefixes shorter than `minShared` are shared only by identical prompts, because
 * each level of the tree costs a pass.
 * @param cached - length of the common prefix that is already computed
 */
export function promptTree(prompts: readonly (readonly number[])[], minShared: number, cached = 0): PromptNode[] {
  const rows = prompts
    .map((_, row) => row)
    .toSorted((a, b) => compare(prompts[a] as number[], prompts[b] as number[]) || a - b);
  return build(rows, cached);

  function build(sorted: readonly number[], past: number): PromptNode[] {
    const nodes: PromptNode[] = [];
    let start = 0;
    while (start < sorted.length) {
      const first = prompts[sorted[start] as number] as readonly number[];
      let end = start + 1;
      let shared = first.length;
      while (end < sorted.length) {
        const next = prompts[sorted[end] as number] as readonly number[];
        const common = commonPrefix(first, next);
        const identical = common === first.length && common === next.length;
        if (!identical && common - past < minShared) break;
        shared = Math.min(shared, common);
        end += 1;
      }
      const members = sorted.slice(start, end);
      // A node ends where its prompts differ or the shortest ends.
      const ends = members.filter((row) => (prompts[row] as readonly number[]).length === shared);
      const longer = members.filter((row) => (prompts[row] as readonly number[]).length > shared);
      nodes.push({
        tokens: first.slice(past, shared),
        past,
        row: members[0] as number,
        children: build(longer, shared),
        ends,
      });
      start = end;
    }
    return nodes;
  }
}

function compare(a: readonly number[], b: readonly number[]): number {
  const common = commonPrefix(a, b);
  return (a[common] ?? -1) - (b[common] ?? -1);
}

export function commonPrefix(a: readonly number[], b: readonly number[]): number {
  const most = Math.min(a.length, b.length);
  let i = 0;
  while (i < most && a[i] === b[i]) i++;
  return i;
}
