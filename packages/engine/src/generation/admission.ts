import type { ModelConfig } from "../transformer/model-config.ts";
import type { CachePages, PageWant } from "./cache-pages.ts";
import type { KeptPrefix, KeptPrefixes } from "./kept-prefixes.ts";
import { minShared, wantsOf, type PrefillQueue } from "./prefill-queue.ts";
import { promptTree, type PromptNode } from "./prompt-tree.ts";
import { contentOf, roomFor, type Reply } from "./reply.ts";

export interface PromptGroup {
  readonly replies: readonly Reply[];
  readonly nodes: readonly PromptNode[];
  readonly start?: { readonly of: KeptPrefix; readonly length: number };
}

export interface Admission {
  readonly replies: readonly Reply[];
  readonly groups: readonly PromptGroup[];
  readonly wants: readonly PageWant[];
  readonly prefixes: readonly KeptPrefix[];
}

/** First waiting replies that fit, in powers of two; null if none. */
export function admissible(
  config: ModelConfig,
  pages: CachePages,
  retained: KeptPrefixes,
  waiting: readonly Reply[],
  active: number,
): Admission | null {
  const first = (count: number): Admission => planAdmission(config, pages, retained, waiting.slice(0, count), active);
  let match: Admission | null = null;
  for (let count = 1; ; count *= 2) {
    const tried = first(count);
    const others = retained.all.filter((prefix) => !tried.prefixes.includes(prefix));
    if (!pages.fits(tried.wants, others)) break;
    match = tried;
    if (tried.replies.length === waiting.length) break;
  }
  if (match || active > 0) return match;
  // The first request is always admitted.
  retained.clear();
  pages.free();
  return first(1);
}

/** Frees unused cached prefixes, oldest first, until the pages fit. */
export function freeFor({ prefixes, wants }: Admission, pages: CachePages, retained: KeptPrefixes): void {
  for (const prefix of retained.all.filter((item) => !prefixes.includes(item))) {
    if (pages.fits(wants)) break;
    retained.remove(prefix);
    pages.release(prefix);
  }
  for (const prefix of prefixes) retained.remove(prefix);
}

export function enter({ groups, prefixes }: Admission, pages: CachePages, prefill: PrefillQueue): void {
  for (const { nodes, replies, start } of groups) {
    const owners = nodes.map(({ row }) => replies[row]!);
    // The first reply may own the prefix's pages.
    const source = start && start.of.pages.length === 0 ? owners[0]! : start?.of;
    if (start && source)
      pages.copyRest(
        source,
        owners.filter((reply) => reply !== source),
        start.length,
      );
    prefill.add(nodes, replies);
  }
  for (const prefix of prefixes) pages.release(prefix);
}

function planAdmission(
  config: ModelConfig,
  pages: CachePages,
  retained: KeptPrefixes,
  replies: readonly Reply[],
  active: number,
): Admission {
  const starts = new Map<KeptPrefix, { readonly replies: Reply[]; length: number }>();
  const fresh: Reply[] = [];
  for (const reply of replies) {
    const match = reply.request.conversation === undefined ? null : retained.longest(reply.request);
    if (!match || match.length < minShared) {
      fresh.push(reply);
      continue;
    }
    const start = starts.get(match.prefix) ?? { replies: [], length: Infinity };
    start.replies.push(reply);
    start.length = Math.min(start.length, match.length);
    starts.set(match.prefix, start);
  }
  const groups: PromptGroup[] = Array.from(starts, ([of, { replies: members, length }]) => ({
    replies: members,
    nodes: promptTree(members.map(contentOf), minShared, length),
    start: { of, length },
  }));
  if (fresh.length > 0) groups.push({ replies: fresh, nodes: promptTree(fresh.map(contentOf), minShared) });
  const positions = (reply: Reply): number =>
    pages.firstPositions(contentOf(reply).length, roomFor(config, reply.request), active + replies.length);
  return {
    replies,
    groups,
    wants: groups.flatMap((group) => wantsOf(group.nodes, group.replies, positions, group.start)),
    prefixes: [...starts.keys()],
  };
}
