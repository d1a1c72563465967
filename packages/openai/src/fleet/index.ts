/**
 * Samples on vLLM and SGLang servers while training on one local engine.
 * @module @laconic/openai/fleet
 */
export { vllmExtensionFolder, vllmServer } from "./servers/vllm.ts";
export { sglangServer } from "./servers/sglang.ts";
export type { ConnectionOptions } from "./servers/connection.ts";
export type {
  GeneratedReply,
  Generation,
  PublishedWeights,
  SamplingServer,
  ServerFacts,
  WeightsCheck,
  WeightsKind,
} from "./servers/sampling-server.ts";

export { Fleet } from "./fleet.ts";
export type { FleetClock } from "./clock.ts";
export type { FleetOptions, ReplyJudge, SampledReply, ServerChange } from "./fleet-options.ts";
export type { ReplyGap } from "./reply-gap.ts";
export type { ServerState, ServerStatus } from "./member.ts";
export { FleetModel, fleetPolicy, type FleetModelOptions } from "./fleet-model.ts";
export type { PublishOptions } from "./publisher.ts";
export { WeightsReceiver, type WeightsReceiverOptions } from "./weights/weights-receiver.ts";
export { WeightsSender, type WeightsSenderOptions, type WeightsSent } from "./weights/weights-sender.ts";

export { probeFleet, type FleetRecord } from "./probe-fleet.ts";
export { probeServer, type ProbeOptions, type ServerRecord } from "./probe-server.ts";
