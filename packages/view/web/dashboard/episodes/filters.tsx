import type { RunDetail } from "../../../src/protocol.ts";
import { visibleLine } from "../../parts/safe-text.ts";
import { setQuery, useRoute } from "../navigation.ts";
import { one } from "../route.ts";
import { SearchField } from "../search-field.tsx";

/** What conversations are searched by; the address has all of it. */
export function Filters({ detail }: { readonly detail: RunDetail }) {
  const route = useRoute();
  const field = (name: string) => ({
    value: one(route, name),
    onChange: (event: { readonly currentTarget: { readonly value: string } }) =>
      setQuery({ [name]: event.currentTarget.value, page: "" }),
  });
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <SearchField label="Search" query="text" placeholder="words of questions and messages" wide />
      <label>
        <span>Kind</span>
        <select class="select" {...field("kind")}>
          <option value="">all</option>
          <option value="training">training</option>
          <option value="evaluation">evaluation</option>
        </select>
      </label>
      <label>
        <span>Answer</span>
        <select class="select" {...field("correct")}>
          <option value="">all</option>
          <option value="true">right</option>
          <option value="false">wrong</option>
        </select>
      </label>
      <label>
        <span>Agent</span>
        <select class="select" {...field("agent")}>
          <option value="">anybody</option>
          {detail.agents.map((agent) => (
            <option key={agent} value={agent}>
              {visibleLine(agent, 40)}
            </option>
          ))}
        </select>
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={one(route, "silent") === "true"}
          onChange={(event) => setQuery({ silent: event.currentTarget.checked ? "true" : "", page: "" })}
        />
        <span>was silent</span>
      </label>
      <label>
        <span>Steps</span>
        <span class="pair">
          <input
            class="input short"
            type="number"
            min="0"
            aria-label="From step"
            placeholder="from"
            {...field("fromStep")}
          />
          <input class="input short" type="number" min="0" aria-label="To step" placeholder="to" {...field("toStep")} />
        </span>
      </label>
      <label>
        <span>Order</span>
        <select class="select" {...field("sort")}>
          <option value="">newest</option>
          <option value="oldest">oldest</option>
          <option value="tokens">most tokens</option>
          <option value="reward">highest reward</option>
        </select>
      </label>
    </form>
  );
}
