/**
 * Text and figures for people: no terminal and no page is written by what a model wrote.
 * @module @laconic/core/text
 */
export { formatBytes, formatDuration, formatNumber, formatPercent } from "./format.ts";
export { escapeHtml, visibleText } from "./visible-text.ts";
