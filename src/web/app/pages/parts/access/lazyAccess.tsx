import { later } from "../../../ui/later.tsx";

/** `Access`, of which the script is loaded when it is opened. */
export const LazyAccess = later(() => import("./access.tsx").then((file) => file.Access));
