/**
 * Text and figures for people: no terminal and no page is written by what a model wrote.
 * @module @laconic/core/text
 */
export { columnsOf } from "./columns.ts";
export { csvLine, shellWord, escapeHtml, visibleText } from "./safe-text.ts";
export {
  counted,
  formatBytes,
  formatCells,
  formatColumn,
  formatCount,
  formatDuration,
  formatEstimate,
  formatFileSize,
  formatInterval,
  formatNumber,
  formatPercent,
  formatPoints,
  formatShare,
  formatUsd,
} from "./format.ts";
export { replyParts, withoutThoughts } from "./thoughts.ts";
