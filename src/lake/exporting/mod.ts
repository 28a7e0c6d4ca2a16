export { type ExportSource, LakeExporter } from "./exporter.ts";
export { COMPRESSIONS, type FileForm, fileEnd } from "./form.ts";
export { personFiles } from "./personFiles.ts";
