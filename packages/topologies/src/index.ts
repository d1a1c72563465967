/**
 * Communication graphs as data, and the one executor that runs them and fills the ledger.
 * @module @laconic/topologies
 */
export type { AgentSpec, Delivery, Edge, Graph } from "./graph.ts";
export type { AgentView, BudgetView, ReceivedMessage } from "./view.ts";
export { answerOf, judgedBy, plurality } from "./answer-rule.ts";
export type { AnswerRule } from "./answer-rule.ts";

export { graphTopology } from "./graph-topology.ts";
export { solo } from "./built-in/solo.ts";
export { star } from "./built-in/star.ts";
export { chain, chainGraph } from "./built-in/chain.ts";
export { layered, layeredGraph } from "./built-in/layered.ts";
export { complete, completeGraph } from "./built-in/complete.ts";
export { random, randomGraph } from "./built-in/random-graph.ts";
export type { RandomGraphOptions } from "./built-in/random-graph.ts";
export { debate, debateGraph } from "./built-in/debate.ts";
export type { DebateOptions } from "./built-in/debate.ts";
export { hintActor, hintActorGraph } from "./built-in/hint-actor.ts";
export { criticActor, criticActorGraph } from "./built-in/critic-actor.ts";
export { roleAssignment, roleAssignmentGraph } from "./built-in/role-assignment.ts";
export { mixture } from "./mixture.ts";
export { budgeted } from "./budgeted.ts";
export { drawTopology, drawingFormats } from "./draw/draw-topology.ts";
export type { DrawingFormat } from "./draw/draw-topology.ts";
export { mermaidOf } from "./draw/mermaid.ts";
export { svgOf } from "./draw/svg.ts";

export { programTopology } from "./program/program-topology.ts";
export type { Line, Program, Stage } from "./program/program-topology.ts";
export { jointEpisode, jointPrompt, synchronousTurns } from "./program/synchronous-turns.ts";
export type {
  ExternalTransition,
  JointGame,
  JointHistory,
  Player,
  SynchronousTurnsOptions,
} from "./program/synchronous-turns.ts";
export { jointBaselines } from "./program/joint-baselines.ts";
export type { Heard, JointBaseline, JointWords } from "./program/joint-baselines.ts";

export { speak } from "./speak.ts";
export type { SpeakRequest, Turn } from "./speak.ts";
export { endEpisode } from "./end-episode.ts";

export { chatTemplate, problemText, quote, quoted, solving } from "./prompts/template.ts";
export { budgetSentence, withBudget } from "./prompts/with-budget.ts";
export type { PromptTemplate } from "./prompts/template.ts";
export { criticPrompt, hintedActorPrompt, hintPrompt, revisingActorPrompt } from "./prompts/agentpo.ts";
export { debatePrompt } from "./prompts/debate.ts";
export { expertPrompt, expertRoles, namedRole, routerPrompt } from "./prompts/role-assignment.ts";
