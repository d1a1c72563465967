import type { GeneratedReply, SamplingServer } from "./servers/sampling-server.ts";
import { optionCheck } from "@laconic/core/checks";
import type { FleetClock } from "./clock.ts";
import type { ServerState } from "./member.ts";
import type { ReplyGap } from "./reply-gap.ts";

/** An accepted reply and its server. */
export interface SampledReply {
  readonly server: string;
  readonly weights: string;
  readonly version: number;
  readonly promptTokens: number;
  readonly tokens: number;
  /** Mean |server - trainer| log-prob; null without a comparison. */
  readonly gap: number | null;
  readonly attempts: number;
}

/**
 * Compares a reply with the trainer's log-probs.
 * @throws LaconicError `reply_malformed` for a reply that is invalid by itself
 */
export type ReplyJudge = (reply: GeneratedReply, server: SamplingServer) => Promise<ReplyGap>;

/** Options of `Fleet`. */
export interface FleetOptions {
  readonly servers: readonly SamplingServer[];
  readonly vocabularySize: number;
  /** Per server; more requests wait in the fleet. Default 64. */
  readonly concurrency?: number;
  /** Milliseconds per reply; then another server is tried. Default 300,000. */
  readonly replyMs?: number;
  /** Milliseconds without a working server until requests fail. Default 600,000. */
  readonly patienceMs?: number;
  /** Default 8. */
  readonly attempts?: number;
  /** Max extra requests on the server with the prompt's prefix, over the idlest. Default 4. */
  readonly slack?: number;
  /** Servers free their memory while weights are trained; needs `SamplingServer.sleep`. Default false. */
  readonly sleeps?: boolean;
  readonly clock?: FleetClock;
  /** Called once per accepted reply. */
  readonly onReply?: (reply: SampledReply) => void;
  readonly onNote?: (text: string) => void;
  /** Default: `onNote` gets the message. */
  readonly onQuarantine?: (change: ServerChange) => void;
}

export const checkFleetOptions: (options: FleetOptions) => void = optionCheck<FleetOptions>()(
  "Fleet",
  "servers vocabularySize concurrency replyMs patienceMs attempts slack sleeps clock onReply onNote onQuarantine",
);

/** A server entered or left quarantine. */
export interface ServerChange {
  readonly server: string;
  readonly state: Exclude<ServerState, "paused">;
  readonly reason: string;
  readonly message: string;
}
