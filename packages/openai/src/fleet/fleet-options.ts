import type { GeneratedReply, SamplingServer } from "./servers/sampling-server.ts";
import { optionCheck } from "@laconic/core/checks";
import type { FleetClock } from "./clock.ts";
import type { ServerState } from "./member.ts";
import type { ReplyGap } from "./reply-gap.ts";

/** An accepted reply, and its server. */
export interface SampledReply {
  readonly server: string;
  /** Name and number of the weights that wrote it. */
  readonly weights: string;
  readonly version: number;
  readonly promptTokens: number;
  readonly tokens: number;
  /** Mean |server's - trainer's| log-prob of its tokens; null where nothing was there to compare with. */
  readonly gap: number | null;
  /** Requests that it took: more than one where servers failed. */
  readonly attempts: number;
}

/**
 * Compares a reply with the trainer's own log-probs of it.
 * @throws LaconicError `reply_malformed` for what needs no comparison to be wrong
 */
export type ReplyJudge = (reply: GeneratedReply, server: SamplingServer) => Promise<ReplyGap>;

/** How a fleet asks its servers. */
export interface FleetOptions {
  readonly servers: readonly SamplingServer[];
  readonly vocabularySize: number;
  /** Requests at once on each server; 64 by default. What is more waits here. */
  readonly concurrency?: number;
  /** Milliseconds of one reply, after which another server is asked; 300,000 by default, which Node's `fetch` waits at most. */
  readonly replyMs?: number;
  /** Milliseconds without any server that works, after which requests fail; 600,000 by default. */
  readonly patienceMs?: number;
  /** Tries of one request on servers that seemed well; 8 by default. */
  readonly attempts?: number;
  /** Requests that the server with a prompt's beginning may have more than the idlest; 4 by default. */
  readonly slack?: number;
  readonly clock?: FleetClock;
  /** Hears of every reply that was taken, once. */
  readonly onReply?: (reply: SampledReply) => void;
  /** Hears of servers that fail and come back. */
  readonly onNote?: (text: string) => void;
  /** Hears of servers that go into quarantine and come out of it; `onNote` has the message by default. */
  readonly onQuarantine?: (change: ServerChange) => void;
}

export const checkFleetOptions: (options: FleetOptions) => void = optionCheck<FleetOptions>()(
  "Fleet",
  "servers vocabularySize concurrency replyMs patienceMs attempts slack clock onReply onNote onQuarantine",
);

/** A server went into quarantine, or came out of it. */
export interface ServerChange {
  readonly server: string;
  readonly state: Exclude<ServerState, "paused">;
  /** Why, as the server's address and what it did. */
  readonly reason: string;
  /** The reason and what follows from it, for people. */
  readonly message: string;
}
