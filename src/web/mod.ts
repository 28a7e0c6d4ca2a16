export { Pages } from "./serve/plugin.ts";
