import { formatNumber } from "@laconic/core/text";

/** Right, wrong or between. */
export function Grade({ grade }: { readonly grade: number | null }) {
  if (grade === null) return <span class="badge">not graded</span>;
  if (grade === 1)
    return (
      <span class="badge good">
        <span aria-hidden="true">✓</span> right
      </span>
    );
  return (
    <span class="badge bad">
      <span aria-hidden="true">{grade === 0 ? "✗" : "◐"}</span> {grade === 0 ? "wrong" : `grade ${formatNumber(grade)}`}
    </span>
  );
}
