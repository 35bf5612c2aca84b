/** Short ways to write down what a route takes and answers. */
import type { z } from 'zod';
import type { Answer, Body } from '../http/route.ts';

export const jsonBody = <T>(schema: z.ZodType<T>, example: unknown): Body<T> => ({
  type: 'application/json',
  schema,
  example,
});

export const markdownBody = <T>(schema: z.ZodType<T>, example: string): Body<T> => ({
  type: 'text/markdown',
  schema,
  example,
});

export const jsonAnswer = (description: string, schema: z.ZodType, example: unknown): Answer => ({
  description,
  type: 'application/json',
  schema,
  example,
});
