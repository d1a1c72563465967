/**
 * Communication graphs as data, and their executor.
 * @module @laconic/topologies
 */
export { asPrompt, type AgentSpec, type Delivery, type Edge, type Graph } from "./graph.ts";
export type { AgentView, BudgetView, ReceivedMessage } from "./view.ts";
export { answerOf, judgedBy, plurality, unanimous, type AnswerRule } from "./answer-rule.ts";
export { graphTopology } from "./graph-topology.ts";
export {
  chain,
  chainGraph,
  complete,
  completeGraph,
  criticActor,
  criticActorGraph,
  debate,
  debateGraph,
  hintActor,
  hintActorGraph,
  layered,
  layeredGraph,
  random,
  randomGraph,
  roleAssignment,
  roleAssignmentGraph,
  solo,
  star,
} from "./built-in.ts";
export type { DebateOptions, RandomGraphOptions } from "./built-in.ts";
export { mixture } from "./mixture.ts";
export { inEnvironment } from "./in-environment.ts";
export { budgeted } from "./budgeted.ts";
export { drawTopology, drawingFormats, type DrawingFormat } from "./draw-topology.ts";
export { programTopology, type Line, type Program, type Stage } from "./program/program-topology.ts";
export { jointEpisode, jointPrompt, synchronousTurns } from "./program/synchronous-turns.ts";
export type {
  ExternalTransition,
  JointGame,
  JointHistory,
  Player,
  SynchronousTurnsOptions,
} from "./program/synchronous-turns.ts";
export { jointBaselines, type Received, type JointBaseline, type JointWords } from "./program/joint-baselines.ts";
export type { TrainingTask } from "./training-task.ts";
export { speak } from "./speak.ts";
export type { SpeakRequest, Turn, TurnStep } from "./turn.ts";
export { endEpisode } from "./end-episode.ts";
export { playReplayable, type EpisodeChange, type ReplayableEpisode } from "./replay.ts";
export { chatTemplate, problemText, quote, quoted, solving, type PromptTemplate } from "./prompts/template.ts";
export { hermesTools } from "./prompts/hermes-tools.ts";
export { jsonTools, llamaTools } from "./prompts/json-tools.ts";
export { withBudget } from "./prompts/with-budget.ts";
export { criticPrompt, hintedActorPrompt, hintPrompt, revisingActorPrompt, debatePrompt } from "./prompts/teams.ts";
