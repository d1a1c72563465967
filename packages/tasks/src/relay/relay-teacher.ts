import type { LanguageModel } from "@laconic/core";
import { relaySolver } from "./agents.ts";
import { scriptedAgent } from "./scripted-agent.ts";
import {
  checkTeacherSettings,
  relayTeacherSettings,
  teacherAnswer,
  teacherMessage,
  type RelayTeacherSettings,
} from "./teacher.ts";

/**
 * The scripted teacher as a model for every agent: always right, and as talkative as its settings say.
 * @throws LaconicError `config_invalid` when the settings are no probabilities.
 */
export function relayTeacher(settings: RelayTeacherSettings = relayTeacherSettings): LanguageModel {
  checkTeacherSettings(settings);
  return scriptedAgent("relay-teacher", ({ agent, question, facts, messages }, random) =>
    agent === relaySolver
      ? teacherAnswer(question, messages, random, settings)
      : teacherMessage(facts, question, random, settings),
  );
}
