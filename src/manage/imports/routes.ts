import { resourceRoutes } from "../resource/routes.ts";
import { environmentRoutes } from "../serve/route.ts";
import { IMPORTS } from "./imports.ts";
import { pauseRoute } from "./pause.ts";
import { undoRoute } from "./undo.ts";

export const importRoutes = environmentRoutes([...resourceRoutes(IMPORTS), pauseRoute, undoRoute]);
