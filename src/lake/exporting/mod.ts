export { type ExportSource, type ExportStatement, type ExportWish, LakeExporter } from "./exporter.ts";
export { COMPRESSIONS, checkForm, type FileForm, fileEnd } from "./form.ts";
export type { WrittenPart } from "./parts.ts";
export { personFiles } from "./personFiles.ts";
