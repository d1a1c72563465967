/**
 * Tools for agents, as an environment.
 * @module @laconic/tasks/tools
 */
export { defineTool, type Tool, type ToolContext } from "./tool.ts";
export { toolEnvironment, type ToolEnvironmentOptions, type ToolLimits } from "./tool-environment.ts";
export { calculate, calculator } from "./calculator.ts";
export { pythonAnswer, pythonTool, type PythonSandbox } from "./python.ts";
export { searchTool, type SearchDocument, type SearchToolOptions } from "./search.ts";
export { aiTools, mcpTools, type AiTool, type McpClient } from "./other-tools.ts";
export { calculatorTask, type CalculatorTaskOptions } from "./calculator-task.ts";
export { hermesTools, jsonTools, llamaTools } from "@laconic/topologies";
