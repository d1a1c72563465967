/**
 * Text and figures for people, for a program that shows them and measures nothing.
 * @module @laconic/evaluation/text
 */
export { escapeHtml } from "./escape-html.ts";
export { formatNumber, formatPercent } from "./format-number.ts";
export { visibleText } from "./visible-text.ts";
