/**
 * Tools for agents, as an environment.
 * @module @laconic/tasks/tools
 */
export { defineTool } from "./tool.ts";
export type { Tool, ToolContext } from "./tool.ts";
export { toolEnvironment } from "./tool-environment.ts";
export type { ToolEnvironmentOptions, ToolLimits } from "./tool-environment.ts";
export { calculate, calculator } from "./calculator.ts";
export { pythonAnswer, pythonTool } from "./python.ts";
export type { PythonSandbox } from "./python.ts";
export { searchTool } from "./search.ts";
export type { SearchDocument, SearchToolOptions } from "./search.ts";
export { aiTools, mcpTools } from "./other-tools.ts";
export type { AiTool, McpClient } from "./other-tools.ts";
export { calculatorExamples, calculatorTask } from "./calculator-task.ts";
export type { CalculatorTaskOptions } from "./calculator-task.ts";
export { hermesTools, jsonTools, llamaTools } from "@laconic/topologies";
