export { pagesPlugin } from "./serve/plugin.ts";
