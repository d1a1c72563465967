import { presetsAmong, type TeamChoice } from "./team-of.ts";

/** What a team over text plays, in two sentences, from the lines that lists have of it. */
export function aboutTeam(question: string, team: TeamChoice | readonly TeamChoice[]): string {
  const summaries = presetsAmong(team).map(({ summary }) => summary);
  const played = summaries.length === 0 ? "a team of the user's own" : summaries.join("; or ");
  return `The team answers ${question}: ${played}. It is right if its answer has the value or text of the reference.`;
}
