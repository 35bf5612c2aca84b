/** Path and query parameters that several routes share. */
import * as z from 'zod';
import { ProjectId } from '../core/api.ts';

/** A key's own grammar is wider in the middle; this is what can stand in an address. See `workspaceKey`. */
const WorkspaceKey = z
  .string()
  .regex(
    /^[A-Za-z0-9_-](?:[A-Za-z0-9._-]{0,116}[A-Za-z0-9_-])?$/,
    'must be a workspace key, as `GET …/workspaces` shows it',
  )
  .meta({ description: "Key of the workspace, as the workspace's `key`.", example: 'ABC-1' });

const Project = ProjectId.meta({ description: 'Id of the project.', example: 'demo' });

const integer = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,10}$/, `must be an integer from ${least} to ${most}`)
    .transform(Number)
    .pipe(z.number().int().min(least).max(most));

const AttemptNumber = integer(1, 2_147_483_647).meta({ description: 'Number of the attempt.', example: 1 });

export const flag = (description: string) =>
  z
    .enum(['true', 'false'])
    .transform((value) => value === 'true')
    .pipe(z.boolean())
    .optional()
    .meta({ description });

export const projectParams = { project: Project };
export const workspaceParams = { project: Project, key: WorkspaceKey };
export const attemptParams = { project: Project, key: WorkspaceKey, number: AttemptNumber };

/** A page of 200 workspaces is about 300 KB. */
const MAX_PAGE = 200;
export const DEFAULT_PAGE = 50;

export const pageQuery = {
  limit: integer(1, MAX_PAGE)
    .optional()
    .meta({ description: `Most items in the answer; ${DEFAULT_PAGE} when left out.` }),
  cursor: z.string().optional().meta({ description: '`next_cursor` of the page before.' }),
};
