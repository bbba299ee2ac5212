import type { DensityConversion } from '../src/domain/analysis/volume-correction/density-conversion.ts';
import type { VolumeCorrection } from '../src/domain/analysis/volume-correction/volume-correction.ts';
import { builder } from './building/builder.ts';

const Correction = builder.objectRef<VolumeCorrection>('VolumeCorrection').implement({
  description:
    'A volume correction factor (VCF, CTL) by API MPMS 11.1 / ASTM D1250, 1980 edition: the observed volume multiplied by it is the volume at the standard temperature.',
  fields: (t) => ({
    table: t.exposeString('table', { description: 'The table.' }),
    factor: t.exposeFloat('factor', {
      nullable: true,
      description: 'What the equation gives for the arguments as they are, without any rounding; a ratio of volumes.',
    }),
    rounded: t.exposeFloat('rounded', {
      nullable: true,
      description: 'To four decimal places, half away from zero, as the table is printed; null outside it.',
    }),
    withinTable: t.exposeBoolean('withinTable', {
      description: 'Whether density and temperature are within the printed table.',
    }),
    reason: t.exposeString('reason', { nullable: true, description: 'Which bound of the printed table is crossed.' }),
  }),
});

const Conversion = builder.objectRef<DensityConversion>('DensityConversion').implement({
  description: 'One density in the measures of the trade; nothing is rounded.',
  fields: (t) => ({
    density15: t.exposeFloat('density15', { description: 'The density at 15 °C, in kg/m³.' }),
    density60: t.exposeFloat('density60', { description: 'The density at 60 °F, in kg/m³.' }),
    relativeDensity: t.exposeFloat('relativeDensity', {
      description: 'The relative density 60/60 °F: density60 ÷ 999.012 kg/m³.',
    }),
    apiGravity: t.exposeFloat('apiGravity', {
      description: 'The API gravity at 60 °F, in degrees: 141.5 ÷ relative density − 131.5.',
    }),
  }),
});

builder.queryFields((t) => ({
  volumeCorrection: t.field({
    type: Correction,
    description:
      'The volume correction factor of a table for one density and temperature. Tables A are for crude oils, B for products, C for a known expansion, D for lubricating oils.',
    args: {
      table: t.arg.string({ required: true, description: 'One of 6A, 6B, 6C, 6D, 24A, 24B, 54A, 54B, 54C, 54D.' }),
      temperature: t.arg.float({
        required: true,
        description: 'The observed temperature: in °F for tables 6 and 24, in °C for tables 54.',
      }),
      density15: t.arg.float({ description: 'The density at 15 °C in kg/m³: tables 54A, 54B and 54D.' }),
      apiGravity: t.arg.float({ description: 'The API gravity at 60 °F in degrees: tables 6A, 6B and 6D.' }),
      relativeDensity: t.arg.float({ description: 'The relative density 60/60 °F: tables 24A and 24B.' }),
      expansion: t.arg.float({
        description:
          'The coefficient of thermal expansion, such as 0.0009: per °F at 60 °F for table 6C, per °C at 15 °C for table 54C.',
      }),
    },
    resolve: (_root, args, { domain }) => domain.volumeCorrections.correction(args),
  }),
  densityConversion: t.field({
    type: Conversion,
    description:
      'A density at 15 °C, an API gravity or a relative density in all three measures; exactly one is given.',
    args: {
      density15: t.arg.float({ description: 'The density at 15 °C, in kg/m³.' }),
      apiGravity: t.arg.float({ description: 'The API gravity at 60 °F, in degrees.' }),
      relativeDensity: t.arg.float({ description: 'The relative density 60/60 °F.' }),
      group: t.arg.string({
        required: true,
        defaultValue: 'B',
        description: 'How it expands from 15 °C to 60 °F: A crude oils, B products, D lubricating oils.',
      }),
    },
    resolve: (_root, args, { domain }) => domain.volumeCorrections.conversion(args),
  }),
}));
