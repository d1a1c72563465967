import { type AgentView, chatTemplate, problemText, type PromptTemplate } from "@laconic/topologies";
import { filled, type Script, textOf } from "../protocols/script.ts";

/** AgentPO's hint flow in its released words. */
export function scriptedHint(script: Script): { readonly hint: PromptTemplate; readonly actor: PromptTemplate } {
  const { name } = script;
  return {
    hint: chatTemplate(`${name}/hint`, textOf(script, "hint"), problemText),
    actor: chatTemplate(
      `${name}/actor`,
      textOf(script, "solver"),
      (view) => `${filled(textOf(script, "problem"), problemText(view), heardFrom(view))}${textOf(script, "suffix")}`,
    ),
  };
}

/** AgentPO's critic flow: the actor is asked anew, with its draft quoted, and told something else than at first. */
export function scriptedCritic(script: Script): { readonly actor: PromptTemplate; readonly critic: PromptTemplate } {
  const { name } = script;
  const suffix = textOf(script, "suffix");
  const first = chatTemplate("", textOf(script, "solver"), (view) => `${problemText(view)}${suffix}`);
  const again = chatTemplate("", textOf(script, "reviser"), (view) => {
    const own = view.inbox.find(({ from }) => from === view.agent)?.text ?? "";
    return `${filled(textOf(script, "problem"), problemText(view), own, heardFrom(view))}${suffix}`;
  });
  return {
    actor: { id: `${name}/actor`, render: (view) => (view.round === 0 ? first : again).render(view) },
    critic: chatTemplate(`${name}/critic`, textOf(script, "critic"), (view) =>
      filled(textOf(script, "draft"), problemText(view), heardFrom(view)),
    ),
  };
}

/** What another agent wrote; empty for one that was silent. */
function heardFrom({ inbox, agent }: AgentView): string {
  return inbox.find(({ from }) => from !== agent)?.text ?? "";
}
