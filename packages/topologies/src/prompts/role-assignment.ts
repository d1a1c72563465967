import { chatTemplate, problemText, solving, type PromptTemplate } from "./template.ts";

/** Roles of ADAS's role assignment. */
export const expertRoles = ["Math Professor", "Grade School Teacher", "Math Enthusiast"] as const;

const fallback = "Helpful Assistant";

/** Asks for a role. */
export const routerPrompt: PromptTemplate = chatTemplate(
  "role-router@1",
  `Choose who should answer: ${expertRoles.join(", ")}. Reply with the name alone.`,
  (view) => problemText(view),
);

/** Default: a helpful assistant. */
export function namedRole(reply: string): string {
  const named = reply.toLowerCase();
  return expertRoles.find((each) => named.includes(each.toLowerCase())) ?? fallback;
}

/** Answers in the named role. */
export function expertPrompt(answerForm: string): PromptTemplate {
  return {
    id: "role-expert@2",
    render: (view) => {
      const system = `You are a ${namedRole(view.inbox.at(-1)?.text ?? "")}. ${solving(answerForm)}`;
      return chatTemplate("", system, (each) => problemText(each)).render(view);
    },
  };
}
