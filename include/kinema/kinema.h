/** @file kinema.h
 * All of libkinema. */
#pragma once
#include "kinema/anchor.h"
#include "kinema/attach.h"
#include "kinema/base.h"
#include "kinema/collider.h"
#include "kinema/emitter.h"
#include "kinema/field.h"
#include "kinema/filter.h"
#include "kinema/frame.h"
#include "kinema/math.h"
#include "kinema/particles.h"
#include "kinema/picture.h"
#include "kinema/query.h"
#include "kinema/scene.h"
#include "kinema/shape.h"
#include "kinema/steer.h"
#include "kinema/world.h"
