/**
 * Text and figures for people: no terminal and no page is written by what a model wrote.
 * @module @laconic/core/text
 */
export { escapeHtml } from "./escape-html.ts";
export { formatBytes } from "./format-bytes.ts";
export { formatDuration } from "./format-duration.ts";
export { formatNumber, formatPercent } from "./format-number.ts";
export { visibleText } from "./visible-text.ts";
