/* capture_test.c - bodies as they are seen: instances, a layer for each form and material. */
#include "bodies.h"

enum { BOX_TRIANGLES = 12 + 2 * 12 + 8 }; /* faces, bevels of edges and of corners */

static const kin_frame* frame_of(test* t, kin_world* w)
{
    const kin_frame* frame = NULL;
    CHECK(t, kin_world_capture(w, 0, 1.0 / 30, &frame, NULL) == KIN_OK);
    return frame;
}

static const float* row_of(test* t, const kin_layer* layer, const char* name, uint64_t count)
{
    static const float none[8];
    const kin_array* array = layer != NULL ? kin_layer_array(layer, name) : NULL;
    if (!test_check(t, array != NULL, __FILE__, __LINE__, "no %s", name)) return none;
    EQUAL(t, array->count, count);
    return array->data;
}

static void bodies_are_instances_by_form_and_material(test* t)
{
    kin_world* w = test_world(t, 0.01, (kin_vec3){0, 0, 0});
    kin_system_id id = add_rigid(t, w);
    kin_material_id oak = test_material(t, w, "oak", 0.5, 0.5);
    kin_body_def def = kin_body_def_default();
    def.shape = box_of(1, 2, 3);
    add_body(t, w, id, &def);
    def.position.x = 4;
    def.velocity.y = 60;
    add_body(t, w, id, &def);
    def.material = oak;
    def.position.x = 8;
    add_body(t, w, id, &def);
    def.shape = ball_of(1);
    def.position.x = 12;
    uint32_t ball = add_body(t, w, id, &def);
    def.sensor = true;
    add_body(t, w, id, &def); /* not seen */
    const kin_frame* frame = frame_of(t, w);
    EQUAL(t, frame->layer_count, 3);
    const kin_layer* boxes = kin_frame_layer(frame, "rigid");
    const float *pose = row_of(t, boxes, "pose", 2), *end = row_of(t, boxes, "pose_end", 2);
    NEAR(t, pose[7], 4, 0);
    NEAR(t, pose[6], 1, 0);
    NEAR(t, end[8], 1, 1e-6); /* half a frame at 60 m/s */
    EQUAL(t, ((const uint64_t*)kin_layer_array(boxes, "id")->data)[1], 1);
    CHECK(t, kin_layer_array(boxes, "triangle")->count == BOX_TRIANGLES);
    row_of(t, kin_frame_layer(frame, "rigid/1"), "pose", 1);
    NEAR(t, row_of(t, kin_frame_layer(frame, "rigid/2"), "pose", 1)[0], 12, 0);
    kin_rigid_remove_body(w, id, ball);
    uint64_t skin = kin_layer_array(boxes, "position")->hash;
    frame = frame_of(t, w);
    EQUAL(t, frame->layer_count, 2);
    CHECK(t, kin_layer_array(kin_frame_layer(frame, "rigid"), "position")->hash == skin);
    kin_world_destroy(w);
}

static void what_is_seen_may_differ_from_what_collides(test* t)
{
    kin_world* w = test_world(t, 0.01, (kin_vec3){0, 0, 0});
    kin_system_id id = add_rigid(t, w);
    kin_material_id red = test_material(t, w, "red", 0.5, 0.5);
    kin_shape parts[3] = {box_of(1, 1, 1), box_of(0.5, 0.5, 0.5), box_of(0.25, 0.25, 0.25)};
    parts[1].offset = (kin_vec3){1, 0, 0};
    parts[1].material = red;
    parts[2].offset = (kin_vec3){0, 1, 0};
    kin_body_def def = kin_body_def_default();
    def.shape = ball_of(1);
    def.has_visible = true;
    def.visible = (kin_shape){.kind = KIN_SHAPE_COMPOUND, .parts = parts, .part_count = 3};
    def.sensor = true;
    add_body(t, w, id, &def);
    def = kin_body_def_default();
    def.shape = (kin_shape){.kind = KIN_SHAPE_PLANE, .normal = {0, 2, 0}};
    def.mobility = KIN_MOBILITY_STATIC;
    add_body(t, w, id, &def);
    const kin_frame* frame = frame_of(t, w);
    EQUAL(t, frame->layer_count, 3); /* its own, the red one, the plane */
    EQUAL(t, kin_layer_array(kin_frame_layer(frame, "rigid"), "triangle")->count, 2 * BOX_TRIANGLES);
    EQUAL(t, kin_layer_array(kin_frame_layer(frame, "rigid/1"), "triangle")->count, BOX_TRIANGLES);
    CHECK(t, kin_frame_layer(frame, "rigid/2")->kind == KIN_LAYER_PLANE);
    NEAR(t, row_of(t, kin_frame_layer(frame, "rigid/2"), "normal", 1)[1], 1, 0);
    kin_world_destroy(w);
}

static void joints_are_lines_when_asked_for(test* t)
{
    kin_world* w = test_world(t, 0.01, (kin_vec3){0, 0, 0});
    kin_rigid_def rigid = kin_rigid_def_default();
    kin_body_def body = kin_body_def_default();
    kin_joint_def joint = kin_joint_def_default();
    kin_system_id id;
    body.shape = ball_of(0.1);
    body.position = (kin_vec3){1, 0, 0};
    joint.b = -1;
    rigid.bodies.data = &body;
    rigid.bodies.count = 1;
    rigid.joints.data = &joint;
    rigid.joints.count = 1;
    rigid.show_joints = true;
    CHECK(t, kin_rigid_create(w, &rigid, &id, NULL) == KIN_OK);
    const float* position = row_of(t, kin_frame_layer(frame_of(t, w), "rigid/joints"), "position", 4);
    NEAR(t, position[0], 1, 0);
    NEAR(t, position[3], 0, 0);
    kin_rigid_remove_joint(w, id, 0);
    CHECK(t, kin_frame_layer(frame_of(t, w), "rigid/joints") == NULL);
    kin_world_destroy(w);
}

TEST_MAIN("rigid capture", TEST(bodies_are_instances_by_form_and_material), TEST(what_is_seen_may_differ_from_what_collides),
          TEST(joints_are_lines_when_asked_for))
