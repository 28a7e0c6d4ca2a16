import { recordRoutes, resourceRoutes } from "../resource/routes.ts";
import { environmentRoutes } from "../serve/route.ts";
import { ANNOTATIONS } from "./resource.ts";

export const annotationRoutes = environmentRoutes([...resourceRoutes(ANNOTATIONS), ...recordRoutes(ANNOTATIONS)]);
