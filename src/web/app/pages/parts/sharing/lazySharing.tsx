import { later } from "../../../ui/later.tsx";

/** `Sharing`, of which the script is loaded when it is opened. */
export const LazySharing = later(() => import("./sharing.tsx").then((file) => file.Sharing));
