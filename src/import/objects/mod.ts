/** Insights, dashboards, cohorts, actions, definitions and settings from one project into another. */
export { bringObjects } from "./bring.ts";
export { OBJECT_KINDS, type ProjectObjects } from "./model.ts";
export { readObjects } from "./read.ts";
